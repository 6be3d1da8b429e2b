/* what: a base that is no constant */
BEGIN { @a = lquantize(1, pid, 10); }
