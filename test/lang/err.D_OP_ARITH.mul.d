/* what: * of a string */
BEGIN { x = 2 * execname; }
