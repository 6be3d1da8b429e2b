/* what: a key of another type in an aggregation */
BEGIN { @a[1, "a"] = count(); @a[1, 2] = count(); }
