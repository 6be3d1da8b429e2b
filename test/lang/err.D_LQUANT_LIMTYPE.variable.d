/* what: a limit that is no constant */
BEGIN { @a = lquantize(1, 0, pid); }
