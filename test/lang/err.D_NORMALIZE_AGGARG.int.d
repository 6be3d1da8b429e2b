/* what: normalize() of an integer */
BEGIN { normalize(1, 1); }
