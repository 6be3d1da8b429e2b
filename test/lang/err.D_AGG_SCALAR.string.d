/* what: an aggregating function of a string */
BEGIN { @a = avg(execname); }
