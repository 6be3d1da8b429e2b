/* what: an action as a branch of ?: */
BEGIN { pid ? trace(1) : trace(2); }
