/* what: a clause-local variable read but never assigned */
BEGIN { trace(this->x); }
