/* what: offsetof of a member that is not there */
struct s { int a; };
BEGIN { trace(offsetof(struct s, b)); }
