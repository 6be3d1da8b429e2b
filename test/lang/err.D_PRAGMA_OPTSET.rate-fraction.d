/* what: a rate is a whole number */
#pragma D option switchrate=1.5s

BEGIN
{
	exit(0);
}
