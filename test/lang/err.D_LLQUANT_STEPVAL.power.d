/* what: steps that do not divide the power */
BEGIN { @a = llquantize(1, 10, 1, 6, 30); }
