/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and block I/O. */
#pragma D attributes Stable/Stable/Common cwd
inline string cwd = d_path(&curthread->fs->pwd);

typedef struct fileinfo {
	string fi_name;
	string fi_dirname;
	string fi_pathname;
	loff_t fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;
} fileinfo_t;

inline string _file_name[struct file *F] = F->f_path.dentry->d_name.len ?
    stringof(F->f_path.dentry->d_name.name) : "<unknown>";

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : _file_name[F];
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_dirname = F == NULL ? "<none>" : "<unknown>";
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_pathname = F == NULL ? "<none>" : "<unknown>";
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : "<unknown>";
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

/* The open file of a descriptor of the current process. */
inline struct file *_fd_file[int fd] =
    fd >= 0 && curthread->files != NULL && fd < curthread->files->fdt->max_fds ?
    curthread->files->fdt->fd[fd] : NULL;

#pragma D attributes Stable/Stable/Common fds
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (_fd_file[fd]);

/*
 * The same for probes of system calls: the file of a descriptor or, with the highest bit set, what is known by the path
 * that a program names it with.
 */
inline string _call_path[uint64_t f] = f << 1 == 0 ? "<unknown>" : copyinstr(f & 0x7fffffffffffffff);

translator fileinfo_t < uint64_t f > {
	fi_name = (int64_t)f < 0 ? basename(_call_path[f]) : xlate <fileinfo_t> (_fd_file[(int)f]).fi_name;
	fi_dirname = (int64_t)f < 0 ? dirname(_call_path[f]) : xlate <fileinfo_t> (_fd_file[(int)f]).fi_dirname;
	fi_pathname = (int64_t)f < 0 ? _call_path[f] : xlate <fileinfo_t> (_fd_file[(int)f]).fi_pathname;
	fi_offset = (int64_t)f < 0 ? 0 : xlate <fileinfo_t> (_fd_file[(int)f]).fi_offset;
	fi_fs = (int64_t)f < 0 ? "<unknown>" : xlate <fileinfo_t> (_fd_file[(int)f]).fi_fs;
	fi_mount = (int64_t)f < 0 ? "<unknown>" : xlate <fileinfo_t> (_fd_file[(int)f]).fi_mount;
	fi_oflags = (int64_t)f < 0 ? 0 : xlate <fileinfo_t> (_fd_file[(int)f]).fi_oflags;
};

inline int B_BUSY = 0x0001;
inline int B_DONE = 0x0002;
inline int B_ERROR = 0x0004;
inline int B_PAGEIO = 0x0010;
inline int B_PHYS = 0x0020;
inline int B_READ = 0x0040;
inline int B_WRITE = 0x0100;
inline int B_ASYNC = 0x0400;

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;
	uintptr_t b_addr;
	uint64_t b_lblkno;
	uint64_t b_blkno;
	size_t b_resid;
	size_t b_bufsize;
	uintptr_t b_iodone;
	int b_error;
	dev_t b_edev;
} bufinfo_t;

/* From the operation (odd: a write) and its flags; bit 11 says that someone waits. */
inline int _io_flags[uint32_t op] = B_PHYS | (op & 1 ? B_WRITE : B_READ) |
    ((op & 1) && !(op & 0x800) ? B_ASYNC : 0);

translator bufinfo_t < struct bio *B > {
	b_flags = _io_flags[B->bi_opf];
	b_bcount = B->bi_iter.bi_size;
	b_addr = 0;
	b_lblkno = B->bi_iter.bi_sector;
	b_blkno = B->bi_iter.bi_sector;
	b_resid = 0;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (uintptr_t)B->bi_end_io;
	b_error = B->bi_status;
	b_edev = B->bi_bdev ? B->bi_bdev->bd_dev : 0;
};

translator bufinfo_t < struct request *R > {
	b_flags = _io_flags[R->cmd_flags];
	b_bcount = R->__data_len;
	b_addr = 0;
	b_lblkno = R->__sector;
	b_blkno = R->__sector;
	b_resid = 0;
	b_bufsize = R->__data_len;
	b_iodone = (uintptr_t)R->end_io;
	b_error = 0;
	b_edev = R->part ? R->part->bd_dev : 0;
};

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;
	string dev_pathname;
} devinfo_t;

/* The driver of the disk; virtual disks have none. */
inline struct device *_disk_parent[struct block_device *D] = D->bd_disk->part0->bd_device.parent;
inline string _disk_driver[struct block_device *D] =
    _disk_parent[D] == NULL || _disk_parent[D]->driver == NULL ?
    stringof(D->bd_disk->disk_name) : stringof(_disk_parent[D]->driver->name);

translator devinfo_t < struct block_device *D > {
	dev_major = D == NULL ? 0 : D->bd_dev >> 20;
	dev_minor = D == NULL ? 0 : D->bd_dev & 0xfffff;
	dev_instance = 0;
	dev_name = D == NULL ? "nfs" : _disk_driver[D];
	dev_statname = D == NULL ? "nfs" : stringof(D->bd_device.kobj.name);
	dev_pathname = D == NULL ? "<nfs>" : "<unknown>";
};

translator devinfo_t < struct bio *B > {
	dev_major = xlate <devinfo_t *> (B->bi_bdev)->dev_major;
	dev_minor = xlate <devinfo_t *> (B->bi_bdev)->dev_minor;
	dev_instance = xlate <devinfo_t *> (B->bi_bdev)->dev_instance;
	dev_name = xlate <devinfo_t *> (B->bi_bdev)->dev_name;
	dev_statname = xlate <devinfo_t *> (B->bi_bdev)->dev_statname;
	dev_pathname = xlate <devinfo_t *> (B->bi_bdev)->dev_pathname;
};

translator devinfo_t < struct request *R > {
	dev_major = xlate <devinfo_t *> (R->part)->dev_major;
	dev_minor = xlate <devinfo_t *> (R->part)->dev_minor;
	dev_instance = xlate <devinfo_t *> (R->part)->dev_instance;
	dev_name = xlate <devinfo_t *> (R->part)->dev_name;
	dev_statname = xlate <devinfo_t *> (R->part)->dev_statname;
	dev_pathname = xlate <devinfo_t *> (R->part)->dev_pathname;
};

/* The kernel does not keep the file with the I/O. */
translator fileinfo_t < struct bio *B > {
	fi_name = "<unknown>";
	fi_dirname = "<unknown>";
	fi_pathname = "<unknown>";
	fi_offset = 0;
	fi_fs = "<unknown>";
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

translator fileinfo_t < struct request *R > {
	fi_name = "<unknown>";
	fi_dirname = "<unknown>";
	fi_pathname = "<unknown>";
	fi_offset = 0;
	fi_fs = "<unknown>";
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

/* A wait for I/O of which nothing is known. */
translator bufinfo_t < int nothing > {
	b_flags = 0;
	b_bcount = 0;
	b_addr = 0;
	b_lblkno = 0;
	b_blkno = 0;
	b_resid = 0;
	b_bufsize = 0;
	b_iodone = 0;
	b_error = 0;
	b_edev = 0;
};

translator devinfo_t < int nothing > {
	dev_major = 0;
	dev_minor = 0;
	dev_instance = 0;
	dev_name = "<unknown>";
	dev_statname = "<unknown>";
	dev_pathname = "<unknown>";
};

translator fileinfo_t < int nothing > {
	fi_name = "<unknown>";
	fi_dirname = "<unknown>";
	fi_pathname = "<unknown>";
	fi_offset = 0;
	fi_fs = "<unknown>";
	fi_mount = "<unknown>";
	fi_oflags = 0;
};
