/* what: neither on nor off */
#pragma D option quiet=perhaps

BEGIN
{
	exit(0);
}
