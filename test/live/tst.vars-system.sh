#!/bin/sh
# what: ipl, pset, lgrp, chip, zonename, epid, cpu: what Linux has of them
# @@needs: root bpf
fail() { echo "$*"; exit 1; }

got=$($DTRACE -qn '
BEGIN { printf("%d %d %s\n", ipl, pset, zonename); }
BEGIN { printf("%d\n", epid); }
BEGIN { printf("%d\n", epid); }
BEGIN { printf("chip %d lgrp %d cpu %d\n", chip, lgrp, cpu); exit(0); }')
cpu=$(echo "$got" | sed -n 's/.* cpu //p')
chip=$(cat /sys/devices/system/cpu/cpu$cpu/topology/physical_package_id 2>/dev/null || echo 0)
lgrp=$(ls -d /sys/devices/system/cpu/cpu$cpu/node* 2>/dev/null | sed 's/.*node//')
want="0 0 global
2
3
chip $chip lgrp ${lgrp:-0} cpu $cpu"
[ "$(echo "$got" | sed '/^$/d')" = "$want" ] || fail "got: $got"
