/* what: a member of a forward declaration */
struct later; struct later *p;
BEGIN { trace(p->y); }
