/* what: a built-in variable that is not built */
BEGIN { trace(ipl); }
