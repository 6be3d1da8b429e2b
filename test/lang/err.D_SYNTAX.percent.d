/* what: %% with flags */
BEGIN { printf("%-%", 1); }
