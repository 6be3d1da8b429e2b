/* what: an aggregation with two indexes */
BEGIN { @a[1][2] = count(); }
