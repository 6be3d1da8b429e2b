/* SPDX-License-Identifier: BSD-2-Clause */
/* Static probes by hand: instructions of an asm statement. */
#ifndef NOTE_H
#define NOTE_H

/* The note of a place: label 990; its own base, so that nothing is moved. */
#define NOTE(provider, name, sem, args)                                     \
	"990: nop\n"                                                        \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"             \
	".4byte 992f - 991f, 994f - 993f, 3\n"                              \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                         \
	"993: .8byte 990b, 0, " sem "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n" \
	".asciz \"" args "\"\n994: .balign 4\n.popsection\n"

#endif
