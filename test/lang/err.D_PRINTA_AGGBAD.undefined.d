/* what: printa() of an aggregation that nothing defines */
BEGIN { printa(@a); }
