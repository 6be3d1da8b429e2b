/* what: <<= on a string */
BEGIN { x = "a"; x <<= 2; }
