/* what: a key too few of an aggregation */
BEGIN { @a[1, 2] = count(); @a[1] = count(); }
