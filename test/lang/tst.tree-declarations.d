/* SPDX-License-Identifier: BSD-2-Clause */
/* what: declarations give names their types, in every form */
/* @@run: $DTRACE -e -x tree=1 -s $FILE || : the tree is checked, not the code */
/* @@errfilter: /^dtrace: /d */

typedef unsigned long long int big_t, *big_p;
struct list {
	struct list *next;
	char name[4][8];
	unsigned int flag : 3, wide : 12;
	union {
		int i;
		string s;
	};
	enum { ON = 5, OFF } state;
};
enum color { RED, GREEN = -2, BLUE, };
enum step { ONE = 1, TWO = ONE + 1, FOUR = TWO << 1 };
typedef uint64_t (*taker_t)(int);
struct callbacks { uint64_t (*f)(int); uint64_t :8; taker_t g; };
struct words { char *string, *self; int this[2], counter:3; int (*probe)(string, int); string provider; };
struct later;
struct later *forward;
struct later { int here; };
big_t b;
const volatile big_p bp;
self short tl;
this struct list cl;
self int tla[string];
extern e9;
int dims[2][BLUE + 4];
int assoc[int, string][3];
char *(*fn)(int, char *, ...), *const *cpp;
unsigned u;
signed char sc;
long double ld;
_Bool flag;
inline int LIMIT = 10 * sizeof (big_t);
inline string WHO = execname;
inline int add[int x, int y] = x + y;

BEGIN
{
	trace(b);
	trace(bp);
	self->tl = 1;
	trace(self->tl);
	this->cl.next->flag = this->cl.wide;
	trace(this->cl.i);
	trace(this->cl.state == OFF);
	self->tla["x"] = RED;
	trace(e9);
	trace(forward->here);
	trace(sizeof (dims));
	assoc[1, "y"][2] = GREEN;
	trace(*cpp);
	trace(sc);
	trace(LIMIT);
	trace(WHO);
	trace(add[1, u]);
	trace(FOUR);
	trace(offsetof(struct callbacks, g));
	trace(((struct words *)0)->counter);
	trace(sizeof (struct words));
	D`u = D`dims[0][1];
	trace(sizeof (taskid_t) + sizeof (projid_t) + sizeof (lwpid_t) + sizeof (major_t) + sizeof (minor_t));
}
