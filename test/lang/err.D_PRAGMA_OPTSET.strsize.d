/* what: the smallest string size is 2 */
#pragma D option strsize=1

BEGIN
{
	exit(0);
}
