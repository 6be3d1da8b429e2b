/* what: the address of a constant */
BEGIN { x = &1; }
