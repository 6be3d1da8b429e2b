/* what: %p of a string */
BEGIN { printf("%p", execname); }
