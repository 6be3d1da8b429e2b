/* what: a step that leaves no level */
BEGIN { @a = lquantize(1, 0, 10, 11); }
