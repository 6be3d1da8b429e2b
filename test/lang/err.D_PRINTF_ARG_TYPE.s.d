/* what: %s of an integer */
BEGIN { printf("%s", 1); }
