/* what: too few arguments of a function that has optional ones */
BEGIN { trace(copyinstr()); }
