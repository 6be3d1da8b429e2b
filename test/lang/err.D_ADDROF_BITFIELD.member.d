/* what: the address of a bit-field */
struct s { int a:3; }; struct s *p;
BEGIN { x = &p->a; }
