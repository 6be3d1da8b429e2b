/* what: a function that nobody knows */
BEGIN { nosuch(1); }
