/* what: the condition of ?: is a string */
BEGIN { x = execname ? 1 : 2; }
