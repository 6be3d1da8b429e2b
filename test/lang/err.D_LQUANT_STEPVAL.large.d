/* what: a step above 16 bits */
BEGIN { @a = lquantize(1, 0, 100000, 65536); }
