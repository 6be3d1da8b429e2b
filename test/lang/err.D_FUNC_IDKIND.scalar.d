/* what: a variable called */
BEGIN { x = 1; x(2); }
