/* what: an action that is not built */
BEGIN { chill(1); }
