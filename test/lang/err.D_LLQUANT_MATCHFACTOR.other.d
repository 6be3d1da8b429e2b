/* what: another factor */
BEGIN { @x[0] = llquantize(1, 10, 0, 6, 20); @x[1] = llquantize(1, 2, 0, 6, 4); }
