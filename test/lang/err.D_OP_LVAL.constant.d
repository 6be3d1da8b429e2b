/* what: a constant assigned */
BEGIN { 1 = 2; }
