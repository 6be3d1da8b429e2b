/* what: clear() of an aggregation that nothing defines */
BEGIN { clear(@a); }
