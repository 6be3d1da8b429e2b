/* what: a step that makes too many levels */
BEGIN { @a = lquantize(1, 0, 100000, 1); }
