/* what: a destructive action behind speculate() */
BEGIN { speculate(1); stop(); }
