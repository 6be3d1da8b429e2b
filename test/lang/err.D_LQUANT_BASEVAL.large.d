/* what: a base above 32 bits */
BEGIN { @a = lquantize(1, 0x100000000, 10); }
