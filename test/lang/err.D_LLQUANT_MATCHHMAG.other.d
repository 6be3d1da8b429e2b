/* what: another high magnitude */
BEGIN { @x[0] = llquantize(1, 10, 0, 6, 20); @x[1] = llquantize(1, 10, 0, 5, 20); }
