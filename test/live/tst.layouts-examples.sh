#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: small programs and all of their output, as DTrace's documents have them
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# prints PROGRAM TEXT: without lines of probes; the newline of the end is implied
prints()
{
	run "$DTRACE" -qn "$1"
	status 0
	err ''
	out "$2
"
}

# Keys and sums, of which trunc() keeps the largest; the newline of printa() comes first.
prints 'BEGIN { @a[1] = sum(100); @a[2] = sum(20); @a[3] = sum(3); trunc(@a, 2); printa(@a); exit(0); }' '
        2               20
        1              100'
# Joined: in the order of the first, 0 for what is missing.
prints 'BEGIN { @x["a"] = count(); @y["b"] = sum(7); printa("%s %@d %@d\n", @x, @y); exit(0); }' 'b 0 7
a 1 0'
# Sums of nanoseconds in milliseconds.
prints 'BEGIN { @t["open"] = sum(5000000); @t["read"] = sum(1200000000); exit(0); }
	END { normalize(@t, 1000000); printa("%-16s %@8d ms\n", @t); }' 'open                    5 ms
read                 1200 ms'
# Pieces of the format between keys and value.
prints 'BEGIN { @["k", 3] = max(-9); printa("[%5s|%-4d] %@6d%%\n", @); exit(0); }' '[    k|3   ]     -9%'

# What was never printed comes behind the newline of the end.
run "$DTRACE" -qn 'BEGIN { @a["tick-count"] = sum(10); @b = avg(3); @b = avg(6); @c[1, "x"] = min(-1); exit(0); }'
status 0
out '
  tick-count                                                       10
                4
        1  x                                                                -1'
# A distribution at the end has its own newline, and an empty line behind it.
run "$DTRACE" -qn 'BEGIN { @ = quantize(100); exit(0); }'
status 0
out '

           value  ------------- Distribution ------------- count    
              32 |                                         0        
              64 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        
             128 |                                         0        
'

# Clauses that record nothing have no line; one that does nothing, and exit(), have one.
program=
for i in 1 2 3; do program="$program BEGIN { }"; done
program="$program BEGIN { trace(\"hello world\"); }"
for i in 1 2 3 4 5 6 7 8 9 10; do program="$program BEGIN { @ = count(); }"; done
run "$DTRACE" -n "${program# } BEGIN { exit(0); }"
status 0
err "dtrace: description 'BEGIN ' matched 15 probes"
sed -i 's/^ *[0-9]* \( *1  *:BEGIN \)/  N \1/' out
out 'CPU     ID                    FUNCTION:NAME
  N      1                           :BEGIN 
  N      1                           :BEGIN 
  N      1                           :BEGIN 
  N      1                           :BEGIN   hello world                      
  N      1                           :BEGIN 

               10'
run "$DTRACE" -qn 'BEGIN { trace("this"); trace(" %should work.\n"); exit(0); }'
out 'this %should work.
'
finish
