/* what: ++ of a pointer to void */
void *p;
BEGIN { p++; }
