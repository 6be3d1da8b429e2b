/* what: too many arguments */
BEGIN { exit(0, 1); }
