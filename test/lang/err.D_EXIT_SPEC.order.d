/* what: exit() behind speculate() */
BEGIN { speculate(1); exit(0); }
