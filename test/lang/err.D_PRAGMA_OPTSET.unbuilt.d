/* what: an option that is not built says so */
#pragma D option pcapsize=100

BEGIN
{
	exit(0);
}
