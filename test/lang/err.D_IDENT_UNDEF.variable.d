/* what: a name that nothing has defined */
BEGIN { trace(x); }
