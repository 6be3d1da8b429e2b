#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: dtrace is killed while its command executes programs or maps libraries: the command is not left stopped, and nothing of dtrace is left
# @@needs: uprobe cc
# @@timeout: 600
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
cat >mapper.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
	for (;;) {
		void *h = dlopen("./mapped.so", RTLD_NOW);

		if (!h)
			return 1;
		dlclose(h);
	}
}
END
echo 'int mapped(int x); int mapped(int x) { return x; }' >mapped.c
${CC:-cc} -shared -fPIC -o mapped.so mapped.c && ${CC:-cc} -o mapper mapper.c || exit 1
printf '#!/bin/sh\nexec %s ./again\n' "$PROGS/reexec" >again
chmod +x again

state()
{
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}

# killed N COMMAND: at another moment each time, some N ms after the start of tracing.
killed()
{
	rm -f out
	"$DTRACE" -x switchrate=1ms -Zqn 'BEGIN { printf("%d\n", $target); } pid$target::mapped:entry, pid$target:a.out:g1:entry,
		fam*:::went { @[ustack()] = count(); }' -c "$2" >out 2>err &
	dt=$!
	until [ -s out ]; do
		kill -0 $dt || break
		sleep 0.01
	done
	guards=$(ps -o pid=,comm= --ppid $dt | sed -n 's/^ *\([0-9]*\) dtrace-guard/\1/p')
	[ -n "$guards" ] || wrong "$2: no guard: $(cat out err)"
	sleep "0.0$1"
	kill -9 $dt
	wait $dt
	for guard in $guards; do
		for _ in $(seq 300); do
			case $(state "$guard") in
			Z | '') continue 2 ;;
			esac
			sleep 0.1
		done
		wrong "$2: guard $guard is left"
	done
	pid=$(cat out)
	[ "$(state "$pid")" != T ] || wrong "$2: $pid is left stopped"
	kill -9 "$pid" || wrong "$2: $pid has ended"
} 2>/dev/null

for n in $(seq 10 21); do
	killed $n ./again
	killed $n ./mapper
done

# As it ends by itself no guard is left either, and a process that was stopped by stop() stays so.
run "$DTRACE" -wqn 'pid$target:a.out:main:entry { printf("%d\n", $target); stop(); exit(0); }' -c ./mapper
status 0
pid=$(cat out)
for _ in $(seq 100); do
	[ "$(state "$pid")" = T ] && break
	sleep 0.1
done
[ "$(state "$pid")" = T ] || wrong "stop(): $(state "$pid")"
kill -9 "$pid"
finish
