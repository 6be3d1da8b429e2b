/* what: stack() of no frames */
BEGIN { stack(0); }
