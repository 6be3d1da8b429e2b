/* what: a global read in a clause above its first assignment */
BEGIN { trace(x); }
END { x = 1; }
