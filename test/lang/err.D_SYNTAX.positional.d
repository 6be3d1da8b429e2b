/* what: a positional conversion */
BEGIN { printf("%1$d", 1); }
