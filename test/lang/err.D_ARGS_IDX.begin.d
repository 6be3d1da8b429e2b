/* what: args[] of a probe without arguments */
BEGIN { trace(args[3]); }
