/* what: a size has no other text behind it */
#pragma D option bufsize=100wombats

BEGIN
{
	exit(0);
}
