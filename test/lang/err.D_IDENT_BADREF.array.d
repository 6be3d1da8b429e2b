/* what: an associative array without an index */
BEGIN { a[1] = 2; trace(a); }
