#!/bin/sh
# usage: two-cpus.sh SPIN CPU FILE: 5000 calls on CPU 0, as soon as there is something in FILE, and 10 on the other
taskset -c 0 "$1" 5000 "$3"
taskset -c "$2" "$1" 10
