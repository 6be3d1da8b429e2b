/* what: print() of an aggregation */
BEGIN { @a = count(); print(@a); }
