/* what: an action as an operand of && */
BEGIN { pid && exit(0); }
