/* what: a predicate must be scalar */
BEGIN /execname/ { exit(0); }
