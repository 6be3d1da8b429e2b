/* what: a scalar used as an associative array */
BEGIN { x = 1; x[2] = 3; }
