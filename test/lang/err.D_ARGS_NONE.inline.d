/* what: args[] outside a clause */
inline int i = args[0];
BEGIN { exit(i); }
