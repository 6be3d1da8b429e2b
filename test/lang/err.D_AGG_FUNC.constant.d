/* what: an aggregation assigned a number */
BEGIN { @a = 1; }
