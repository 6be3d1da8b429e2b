/* what: a string compared with an integer */
BEGIN { x = execname == 1; }
