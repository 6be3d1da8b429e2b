/* what: another limit */
BEGIN { @x[0] = lquantize(1, 0, 100, 10); @x[1] = lquantize(1, 0, 200, 10); }
