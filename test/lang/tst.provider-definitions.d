/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: definitions of providers: no arguments, names, translated arguments, said twice, an attribute
 * @@flags: -e
 * @@match: ^$|.*
 */
struct c { int x; };
typedef struct info { int y; } info_t;
translator info_t < struct c *C > { y = C->x; };
provider prov {
	probe done();
	probe none(void);
	probe query__start(char *, int);
	probe conn(int a, struct c *p) : (info_t *p, int a);
};
provider prov {
	probe done();
	probe none(void);
	probe query__start(char *, int);
	probe conn(int a, struct c *q) : (info_t *q, int a);
};
#pragma D attributes Evolving/Evolving/Common provider prov provider
#pragma D attributes Private/Private/Unknown provider prov args
BEGIN { exit(0); }
