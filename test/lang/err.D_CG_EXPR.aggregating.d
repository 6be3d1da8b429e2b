/* what: an aggregating function within an expression */
BEGIN { x = count(); }
