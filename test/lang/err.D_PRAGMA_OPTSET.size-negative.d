/* what: a size is not negative */
#pragma D option specsize=-40

BEGIN
{
	exit(0);
}
