/* what: speculate() behind a recording action */
BEGIN { trace(1); speculate(1); }
