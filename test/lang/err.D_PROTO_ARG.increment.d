/* what: an increment that is a string */
BEGIN { @a = quantize(1, "a"); }
