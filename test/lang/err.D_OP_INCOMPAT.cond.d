/* what: branches of ?: without a common type */
BEGIN { x = pid ? 1 : "a"; }
