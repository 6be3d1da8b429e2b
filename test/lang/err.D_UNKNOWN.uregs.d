/* what: an index outside uregs[] */
BEGIN { trace(uregs[42]); }
