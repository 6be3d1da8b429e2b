/* what: print() of nothing */
BEGIN { print((void)1); }
