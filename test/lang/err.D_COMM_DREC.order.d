/* what: commit() behind a recording action */
BEGIN { trace(1); commit(1); }
