/* what: an option that is not built says so */
#pragma D option aggpercpu

BEGIN
{
	exit(0);
}
