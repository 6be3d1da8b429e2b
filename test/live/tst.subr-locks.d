/*
 * what: mutex_owned(), mutex_owner(), mutex_type_*(), rw_*()
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	this->m = &curthread->signal->cred_guard_mutex;
	printf("%d %d %d %d\n", mutex_owned(this->m), mutex_owner(this->m) == NULL,
	    mutex_type_adaptive(this->m), mutex_type_spin(this->m));
	this->f = (struct mutex *)alloca(sizeof (struct mutex));
	this->f->owner.counter = (long)curthread | 3;
	printf("%d %d\n", mutex_owned(this->f), mutex_owner(this->f)->tgid == pid);
}
BEGIN
{
	this->l = (int *)alloca(sizeof (rwlock_t));
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->l), rw_write_held((rwlock_t *)this->l),
	    rw_iswriter((rwlock_t *)this->l));
	*this->l = 0x400;
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->l), rw_write_held((rwlock_t *)this->l),
	    rw_iswriter((rwlock_t *)this->l));
	*this->l = 0xff;
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->l), rw_write_held((rwlock_t *)this->l),
	    rw_iswriter((rwlock_t *)this->l));
	*this->l = 0x300;
	printf("%d%d%d\n", rw_read_held((rwlock_t *)this->l), rw_write_held((rwlock_t *)this->l),
	    rw_iswriter((rwlock_t *)this->l));
}
BEGIN { trace(mutex_owned((struct mutex *)8) > 2); }
BEGIN { trace(mutex_type_spin((struct mutex *)8) > 2); }
BEGIN { trace(rw_read_held((rwlock_t *)16)); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d\n", arg2, arg4); }
