/* what: an aggregation as a branch of ?: */
BEGIN { @a = count(); x = pid ? @a : 1; }
