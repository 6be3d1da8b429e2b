/* what: sizeof of void */
BEGIN { trace(sizeof(void)); }
