/* what: an argument of count() */
BEGIN { @a = count(1); }
