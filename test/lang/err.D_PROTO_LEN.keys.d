/* what: a key too few */
BEGIN { x[1, 2] = 3; x[1] = 2; }
