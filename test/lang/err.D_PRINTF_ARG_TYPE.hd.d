/* what: %hd of an int */
BEGIN { printf("%hd", 1); }
