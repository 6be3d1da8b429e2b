/* what: a number where a string is wanted */
BEGIN { trace(strlen(1)); }
