/* what: a clause-local associative array */
BEGIN { this->x[1] = 2; }
