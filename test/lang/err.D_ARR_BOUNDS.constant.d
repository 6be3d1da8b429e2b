/* what: a constant index outside an array */
int a[5];
BEGIN { a[5] = 1; }
