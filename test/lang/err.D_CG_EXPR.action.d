/* what: an action within an expression */
BEGIN { x = trace(1); }
