/* what: steps that do not divide the square */
BEGIN { @a = llquantize(1, 10, 0, 6, 30); }
