/* what: sizeof of a bit-field */
struct s { int a:3; } v;
BEGIN { trace(sizeof(v.a)); }
