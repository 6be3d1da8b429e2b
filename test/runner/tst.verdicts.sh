#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the runner fails what must fail, in a tree of its own with a made-up dtrace
set -eu

tree=$TMPDIR/tree
mkdir -p "$tree/test/cmd" "$tree/tools" "$tree/build"
cp "$SRC/test/run.py" "$tree/test/"
printf '#!/bin/sh\n' >"$tree/tools/check-includes"

# Runs the D file as a shell script, so that each case says what dtrace would do.
cat >"$tree/build/dtrace" <<'END'
#!/bin/sh
case $1 in -x*) shift ;; esac
while [ "$1" != -s ]; do echo "flag $1"; shift; done
file=$2
shift 2
[ $# = 0 ] || printf 'arg %s\n' "$@"
. "./$file"
END
chmod +x "$tree/tools/check-includes" "$tree/build/dtrace"

fault=0
# verdict WANT NAME BODY [EXPECTED-STDOUT]: one case, run alone
verdict()
{
	rm -f "$tree/test/cmd/"*
	printf '%b' "$3" >"$tree/test/cmd/$2"
	[ $# -lt 4 ] || printf '%b' "$4" >"$tree/test/cmd/$2.out"
	rc=0
	got=$("$tree/test/run.py" "cmd/$2") || rc=$?
	want_rc=0
	[ "$1" = ok ] || want_rc=1 # also where nothing was run
	case $got in
	"$1 cmd/$2"*) [ $rc = $want_rc ] && return ;;
	esac
	echo "$2: not '$1' with exit status $want_rc, but $rc:"
	echo "$got"
	fault=1
}

verdict ok tst.same.d 'echo a' 'a\n'
verdict 'not ok' tst.other.d 'echo a' 'b\n'
verdict 'not ok' tst.newline.d 'printf a' 'a\n'
verdict 'not ok' tst.nothing.d ':'
verdict 'not ok' tst.status.d 'echo a; exit 1' 'a\n'
verdict ok tst.status.d '# @@status: 3\nexit 3'
verdict 'not ok' tst.signal.d 'echo a; kill -SEGV $$' 'a\n'
verdict ok tst.words.d '# @@flags: -q "-x y"\n# @@args: 1 "2 3"\n' 'flag -q\nflag -x y\narg 1\narg 2 3\n'
verdict ok tst.filter.d '# @@filter: s/[0-9][0-9]*/N/\necho 123' 'N\n'
verdict ok tst.match.d '# @@match: ^b$\necho a; echo b >&2'
verdict 'not ok' tst.match.d '# @@match: ^b$\necho ab'
verdict ok tst.run.d '# @@run: cat "$FILE"\n' '# @@run: cat "$FILE"\n'
verdict 'not ok' tst.unknown.d '# @@unknown: 1\necho a' 'a\n'
verdict skip tst.needs.d '# @@needs: cpus:100000\necho a' 'b\n'
verdict 'not ok' tst.needs.d '# @@needs: something\necho a' 'a\n'
verdict skip tst.xfail.d '# @@xfail: later\necho a' 'b\n'
verdict 'not ok' tst.xfail.d '# @@xfail: later\necho a' 'a\n'
verdict 'not ok' tst.timeout.d '# @@timeout: 0.2\nsleep 1000 & sleep 1000' ''
verdict 'not ok' tst.sanitizer.d 'echo "x.c:1:2: runtime error: y" >&2' ''
verdict ok err.D_ONE.x.d 'echo "dtrace: [D_ONE] x" >&2; exit 1'
verdict 'not ok' err.D_ONE.x.d 'echo "dtrace: [D_TWO] x" >&2; exit 1'
verdict 'not ok' err.D_ONE.x.d 'echo "dtrace: [D_ONE] x" >&2'
verdict ok drp.DYNAMIC.x.d 'echo "dtrace: [DTRACEDROP_DYNAMIC] x" >&2'
verdict 'not ok' drp.DYNAMIC.x.d ':'
verdict ok tst.pass.sh 'exit 0'
verdict 'not ok' tst.fail.sh 'exit 1'
verdict skip tst.skip.sh 'echo why; exit 77'

# What a background job of a shell or nohup ignores is not ignored by what is tested.
for name in INT QUIT HUP USR1; do
	printf "kill -$name \$\$; exit 0" >"$tree/test/cmd/tst.ignored.sh"
	env --ignore-signal=$name "$tree/test/run.py" cmd/tst.ignored.sh >/dev/null || continue
	echo "SIG$name is ignored in a test"
	fault=1
done

# The longest of them, at the end.
echo 'sleep 0.3' >"$tree/test/cmd/tst.long.sh"
echo ':' >"$tree/test/cmd/tst.short.sh"
"$tree/test/run.py" --slowest 1 cmd/ | tail -2 | head -1 | grep -q '^[0-9.]* s of 120: cmd/tst.long.sh$' || {
	echo '--slowest does not name the longest'
	fault=1
}

# Nothing selected, nothing run: that is no success.
if "$tree/test/run.py" nosuch >/dev/null; then
	echo 'exit status 0 though nothing was run'
	fault=1
fi
exit $fault
