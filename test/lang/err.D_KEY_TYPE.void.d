/* what: a key without a value */
BEGIN { @a[(void)1] = count(); }
