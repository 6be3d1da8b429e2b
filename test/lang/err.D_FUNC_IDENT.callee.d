/* what: a callee that is no name */
BEGIN { (1 + 2)(3); }
