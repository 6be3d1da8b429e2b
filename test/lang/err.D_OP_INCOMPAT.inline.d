/* what: an inline that is not of its type */
inline int i = "string";
BEGIN { exit(i); }
