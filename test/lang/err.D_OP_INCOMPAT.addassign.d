/* what: += on an integer with a string */
BEGIN { x = 1; x += "a"; }
