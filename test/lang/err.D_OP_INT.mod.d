/* what: % of a string */
BEGIN { x = "a" % 2; }
