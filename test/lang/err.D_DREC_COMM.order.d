/* what: a recording action behind commit() */
BEGIN { commit(1); trace(1); }
