/* what: a string assigned to an integer */
BEGIN { x = 1; x = "a"; }
