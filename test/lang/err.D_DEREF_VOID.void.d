/* what: * of a pointer to void */
BEGIN { trace(*(void *)arg0); }
