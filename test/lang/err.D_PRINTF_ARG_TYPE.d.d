/* what: %d of a string */
BEGIN { printf("%x %d", 1, "a"); }
