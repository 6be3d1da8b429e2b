/* what: %@ in printf() */
BEGIN { printf("%@d", 1); }
