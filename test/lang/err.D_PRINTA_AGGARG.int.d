/* what: printa() of an integer */
BEGIN { printa("%d", 1); }
