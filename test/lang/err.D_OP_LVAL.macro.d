/* what: a macro variable incremented */
BEGIN { $pid++; }
