/* what: printa() of a format alone */
BEGIN { printa("%d"); }
