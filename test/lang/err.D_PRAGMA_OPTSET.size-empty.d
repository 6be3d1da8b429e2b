/* what: a size is not empty */
#pragma D option bufsize=

BEGIN
{
	exit(0);
}
