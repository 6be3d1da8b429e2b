/* what: a width is missing */
BEGIN { printf("%*d"); }
