/* what: a conversion that does not exist */
BEGIN { printf("%Z", 1); }
