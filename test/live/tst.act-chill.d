/*
 * what: chill(): the time passes, half a second of a second is the most, timestamp is read anew
 * @@needs: root bpf
 */
#pragma D option quiet
#pragma D option destructive

BEGIN
{
	this->t = timestamp;
	chill(20000000);
	this->passed = timestamp - this->t;
	printf("%d\n", this->passed >= 20000000);
}
BEGIN { chill(480000001); }
BEGIN { chill(500000001); }
BEGIN { chill(-1); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d\n", arg2, arg4); }
