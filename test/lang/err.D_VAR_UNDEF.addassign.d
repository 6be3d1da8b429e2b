/* what: += on a global that does not exist */
BEGIN { x += 1; }
