/* what: a width that is a string */
BEGIN { printf("%*d", execname, 1); }
