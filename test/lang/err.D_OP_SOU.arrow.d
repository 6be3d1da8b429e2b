/* what: -> behind a pointer to an integer */
int *p;
BEGIN { trace(p->y); }
