/* what: breakpoint() cannot be had */
BEGIN { breakpoint(); }
