/* what: tracemem() of a string */
BEGIN { tracemem(execname, 4); }
