/* what: normalize() of an aggregation that nothing defines */
BEGIN { normalize(@a, 1); }
