/* what: trunc() of an aggregation that nothing defines */
BEGIN { trunc(@a); }
