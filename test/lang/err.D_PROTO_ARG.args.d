/* what: an index of args[] that is no constant */
BEGIN { x = 1; trace(args[x]); }
