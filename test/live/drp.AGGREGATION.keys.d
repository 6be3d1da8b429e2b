/* what: a new key without room is an aggregation drop; keys that exist go on */
/* @@flags: -q -x aggsize=1024 -x aggrate=10s */
/* @@match: ^dtrace: \[DTRACEDROP_AGGREGATION\] [1-9][0-9]* aggregation drops on CPU [0-9]+$ */
/* @@match: ^first 60$ */
/* @@filter: /^ /d; /^$/d */
int n;
tick-1ms /n < 60/ { @["first"] = count(); @k[n] = count(); n++; }
tick-1ms /n == 60/ { exit(0); }
END { printa("%s %@d\n", @); }
