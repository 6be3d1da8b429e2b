/* what: a number is not negative */
#pragma D option nspec=-72

BEGIN
{
	exit(0);
}
