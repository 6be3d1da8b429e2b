/* what: the largest string size is 4g - 1 */
#pragma D option strsize=4g

BEGIN
{
	exit(0);
}
