#!/bin/sh
# usage: two-cpus.sh SPIN CPU: 5000 calls on CPU 0, 10 on the other
taskset -c 0 "$1" 5000
taskset -c "$2" "$1" 10
