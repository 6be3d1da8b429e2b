/* what: a built-in variable incremented */
BEGIN { timestamp++; }
