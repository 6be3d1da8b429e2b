/* what: remainder of a constant zero, folded */
BEGIN { x = 1 % (2 - 2); }
