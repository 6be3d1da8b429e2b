/* what: %d of an aggregation */
BEGIN { @a = count(); printf("%d", @a); }
