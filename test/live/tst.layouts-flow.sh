#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -F: arrows by provider, indentation, several clauses of one probe, the header also with -q
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/one-cpu.sh"

# What a clause records stands behind the function; the CPU is of no interest.
run "$DTRACE" -F -x switchrate=10s -c "$PROGS/spin 1" -n '
	syscall::getppid:entry /pid == $target/ { trace(1); }
	syscall::getppid:entry /pid == $target/ { trace("b"); }
	syscall::getppid:return /pid == $target/ { }
	syscall::getppid:return /pid == $target/ { printf("end"); }'
status 0
sed -i 's/^ *[0-9][0-9]* /  N /' "$TMPDIR/out"
out 'CPU FUNCTION                                 
  N  => getppid                                         1
  N   | getppid:entry                           b                                
  N   | getppid:return                        
  N  <= getppid                               end
'

# Functions of a program inside its system call's caller; -q keeps the header and the column, not the newline.
run "$DTRACE" -qF -x switchrate=10s -c "$PROGS/short" -n '
	pid$target:a.out:f:entry { printf("\n"); } pid$target:a.out:f:return { printf("\n"); }'
status 0
sed -i 's/^ *[0-9][0-9]* /  N /' "$TMPDIR/out"
out 'CPU FUNCTION                                 
  N  -> f                                     
  N  <- f                                     
'
run "$DTRACE" -F -n 'BEGIN { exit(0); }'
sed -i 's/^ *[0-9][0-9]* /  N /' "$TMPDIR/out"
out 'CPU FUNCTION                                 
  N | :BEGIN                                  
'
finish
