/* what: %@s of a number */
BEGIN { @a = sum(1); printa("%@d %@s", @a); }
