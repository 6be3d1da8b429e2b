/* what: offsetof of a type without members */
BEGIN { trace(offsetof(int, x)); }
