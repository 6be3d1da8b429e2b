/* what: a whole array assigned */
int a[3], b[3];
BEGIN { a = b; }
