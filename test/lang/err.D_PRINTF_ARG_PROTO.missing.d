/* what: a value too few */
BEGIN { printf("%d"); }
