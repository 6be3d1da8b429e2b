/* what: -> behind something that is no pointer */
BEGIN { x = 1; trace(x->y); }
