/* what: a format that is no literal */
BEGIN { printf(execname); }
