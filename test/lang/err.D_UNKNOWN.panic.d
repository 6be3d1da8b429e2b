/* what: panic() cannot be had */
BEGIN { panic(); }
