/* what: a member that is not there */
struct s { int a; } v;
BEGIN { trace(v.b); }
