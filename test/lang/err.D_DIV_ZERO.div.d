/* what: division by a constant zero */
BEGIN { x = 1; y = x / 0; }
