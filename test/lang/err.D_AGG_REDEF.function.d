/* what: two functions of one aggregation */
BEGIN { @a = count(); }
END { @a = max(1); }
