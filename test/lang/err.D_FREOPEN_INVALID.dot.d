/* what: freopen() of "." */
BEGIN { freopen("."); }
