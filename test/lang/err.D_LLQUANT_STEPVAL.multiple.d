/* what: steps that are no multiple of the factor */
BEGIN { @a = llquantize(1, 10, 0, 6, 15); }
