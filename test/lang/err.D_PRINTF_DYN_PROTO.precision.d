/* what: a precision is missing */
BEGIN { printf("%.*d"); }
