/* what: an option that a program may not set */
#pragma D option ldpath=/x

BEGIN
{
	exit(0);
}
