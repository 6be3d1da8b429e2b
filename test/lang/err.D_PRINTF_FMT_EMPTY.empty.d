/* what: an empty format */
BEGIN { printf(""); }
