/* what: a built-in variable assigned */
BEGIN { pid = 1; }
