/* what: a string size of ustack() that is no constant */
BEGIN { ustack(5, pid); }
