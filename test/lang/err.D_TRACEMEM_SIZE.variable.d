/* what: tracemem() of a size that is no constant */
BEGIN { tracemem(arg0, arg1); }
