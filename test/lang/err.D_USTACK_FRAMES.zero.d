/* what: ustack() of no frames */
BEGIN { ustack(0); }
