/* what: an aggregation as a statement */
BEGIN { @a = count(); @a; }
