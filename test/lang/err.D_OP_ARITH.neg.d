/* what: - of a string */
BEGIN { x = -execname; }
