/* what: a key of another type */
BEGIN { x[1, "a"] = 3; x[1, 2] = 2; }
