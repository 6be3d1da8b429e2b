/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: flags and operands in any order; a "--" makes all that follows operands. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS "+:3:6:aAb:Bc:CD:ef:FGhHi:I:lL:m:n:o:p:P:qs:SU:vVwx:X:Z"

void usage(void)
{
	static const char text[] =
		" [-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]] [-I path] [-L path]\n"
		"\t[-o output] [-p pid] [-s script] [-U name] [-x opt[=val]] [-X a|c|s|t]\n"
		"\t[-P provider [[predicate] action]]\n"
		"\t[-m [provider:]module [[predicate] action]]\n"
		"\t[-f [[provider:]module:]func [[predicate] action]]\n"
		"\t[-n [[[provider:]module:]func:]name [[predicate] action]]\n"
		"\t[-i probe-id [[predicate] action]] [args ...]\n\n"
		"\tpredicate -> '/' D-expression '/'\n"
		"\t   action -> '{' D-statements '}'\n\n"
		"\t-64  D programs have the 64-bit data model\n"
		"\t-b   set trace buffer size\n"
		"\t-c   run the command and end with it; $target is its process id\n"
		"\t-C   run the C preprocessor over D scripts\n"
		"\t-D   define a macro for the preprocessor\n"
		"\t-e   exit after compiling, before anything is enabled\n"
		"\t-f   enable or list probes by the name of a function\n"
		"\t-F   indent the output by entry and return of functions\n"
		"\t-G   make the object that a program with probes of its own is linked with\n"
		"\t-h   make the header that a program with probes of its own includes\n"
		"\t-H   print the names of the files that the preprocessor includes\n"
		"\t-i   enable or list probes by id\n"
		"\t-I   search a directory for included files\n"
		"\t-l   list probes\n"
		"\t-L   search a directory for D libraries\n"
		"\t-m   enable or list probes by the name of a module\n"
		"\t-n   enable or list probes by name\n"
		"\t-o   append the output to a file\n"
		"\t-p   follow the process and end with it; $target is its id\n"
		"\t-P   enable or list probes by the name of a provider\n"
		"\t-q   print only what is explicitly traced\n"
		"\t-s   enable or list probes by a D script\n"
		"\t-S   print the generated code\n"
		"\t-U   undefine a macro of the preprocessor\n"
		"\t-v   report stability and arguments\n"
		"\t-V   print the version of D\n"
		"\t-w   permit destructive actions\n"
		"\t-x   set an option\n"
		"\t-X   set how the preprocessor conforms to ISO C\n"
		"\t-Z   permit descriptions that match no probe\n";

	fprintf(stderr, "Usage: %s%s", cmd.name, text);
	exit(EXIT_USAGE);
}

static void add_flag(int c, const char *arg)
{
	cmd.flags = realloc(cmd.flags, (cmd.nflags + 1) * sizeof(*cmd.flags));
	if (!cmd.flags)
		fatal("failed to allocate memory for arguments");
	cmd.flags[cmd.nflags++] = (struct flag){ c, arg };
}

/* getopt's own complaints would name the whole path of the command. */
static void complain(int c)
{
	fprintf(stderr,
		c == ':' ? "%s: option requires an argument -- '%c'\n"
			 : "%s: invalid option -- '%c'\n",
		cmd.name, optopt);
	usage();
}

static void data_model(int c, const char *arg)
{
	if (strcmp(arg, c == '3' ? "2" : "4")) {
		fprintf(stderr, "%s: illegal option -- %c%s\n", cmd.name, c, arg);
		usage();
	}
}

/* Flags up to the next operand. Gives true if "--" ended them. */
static bool parse_flags(int argc, char *argv[])
{
	for (;;) {
		int before = optind;
		int c = getopt(argc, argv, OPTIONS);

		if (c == -1)
			return optind == before + 1 && !strcmp(argv[before], "--");
		if (c == ':' || c == '?')
			complain(c);
		if (c == '3' || c == '6')
			data_model(c, optarg);
		add_flag(c, optarg);
	}
}

void args_parse(int argc, char *argv[])
{
	bool rest = false;

	cmd.operands = xalloc((argc + 1) * sizeof(*cmd.operands));
	cmd.noperands = 1;
	opterr = 0;
	while (optind < argc) {
		if (!rest)
			rest = parse_flags(argc, argv);
		if (optind < argc)
			cmd.operands[cmd.noperands++] = argv[optind++];
	}
}
