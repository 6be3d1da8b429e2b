/* what: stringof of nothing */
BEGIN { trace(stringof((void)1)); }
