/* what: an aggregation as a key */
BEGIN { @a = count(); x[1, @a] = 1; }
