/* what: a second speculate() */
BEGIN { speculate(1); speculate(1); }
