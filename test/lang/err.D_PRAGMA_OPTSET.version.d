/* what: a version of D that there is not */
#pragma D option version=99.1

BEGIN
{
	exit(0);
}
