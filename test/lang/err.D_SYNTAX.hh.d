/* what: %hhd does not exist */
BEGIN { printf("%hhd", 1); }
