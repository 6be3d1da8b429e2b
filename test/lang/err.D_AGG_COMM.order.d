/* what: an aggregation behind commit() */
BEGIN { commit(1); @ = count(); }
