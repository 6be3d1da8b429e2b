/* what: an aggregation behind speculate() */
BEGIN { speculate(1); @ = count(); }
