/* what: a string added to an integer */
BEGIN { x = execname + 1; }
