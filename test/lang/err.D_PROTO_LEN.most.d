/* what: too many arguments of a function that has optional ones */
BEGIN { trace(copyinstr(1, 2, 3)); }
