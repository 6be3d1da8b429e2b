/* what: a base that is not below the limit */
BEGIN { @a = lquantize(1, 10, 10); }
