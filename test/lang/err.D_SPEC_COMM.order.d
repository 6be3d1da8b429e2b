/* what: speculate() behind commit() */
BEGIN { commit(1); speculate(1); }
