/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs and locks. */
translator cpuinfo_t < int number > {
	cpu_id = number;
	cpu_pset = 0;
	/* Of this CPU only. */
	cpu_chip = number == cpu ? chip : 0;
	cpu_lgrp = number == cpu ? lgrp : 0;
};

inline int RW_WRITER = 0;
inline int RW_READER = 1;
