/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs and locks. */
translator cpuinfo_t < int number > {
	cpu_id = number;
	cpu_pset = 0;
	cpu_chip = 0;
	cpu_lgrp = 0;
};

inline int RW_WRITER = 0;
inline int RW_READER = 1;
