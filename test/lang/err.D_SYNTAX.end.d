/* what: a format that ends in a conversion */
BEGIN { printf("%d %5", 1); }
