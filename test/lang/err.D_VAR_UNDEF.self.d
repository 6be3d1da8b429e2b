/* what: a thread-local variable read but never assigned */
BEGIN { trace(self->x); }
