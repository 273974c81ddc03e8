/* SPDX-License-Identifier: MIT */
/* The script's shape: the chapter "Programmable Completion" of bash's manual. */
#include "cli/completion.h"

#include "cli/commands.h"
#include "cli/flags.h"

static void command_names(FILE *out)
{
	for (enum command_id id = 0; id < COMMANDS; id++)
		fprintf(out, "%s%s", id ? " " : "", command_get(id)->name);
}

static void command_case(FILE *out, enum command_id id)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	fprintf(out, "\t%s) flags='", command_get(id)->name);
	for (size_t i = 0; i < n; i++) {
		if (!flag_is_shown(&flags[i], id))
			continue;
		fprintf(out, "-%s ", flags[i].name);
		if (flags[i].alias)
			fprintf(out, "-%s ", flags[i].alias);
	}
	fputs("' ;;\n", out);
}

/* What completes the value of a flag. */
static void value_case(FILE *out, const struct flag *flag)
{
	if (!flag->value || flag->hidden)
		return;
	fprintf(out, "\t-%s", flag->name);
	if (flag->alias)
		fprintf(out, " | -%s", flag->alias);
	fputs(") ", out);
	switch (flag->kind) {
	case FLAG_FILE: fputs("_magic_trace_paths -f", out); break;
	case FLAG_DIR: fputs("_magic_trace_paths -d", out); break;
	case FLAG_CHOICE:
		fputs("COMPREPLY=($(compgen -W '", out);
		for (const char *const *c = flag->choices; *c; c++)
			fprintf(out, "%s%s", c == flag->choices ? "" : " ", *c);
		fputs("' -- \"$cur\"))", out);
		break;
	default: fputs(":", out);
	}
	fputs("; return ;;\n", out);
}

void completion_bash(FILE *out)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	fputs("# SPDX-License-Identifier: MIT\n"
	      "# Made by `make man` from the tables in src/cli; not to be edited.\n\n"
	      "_magic_trace_paths()\n"
	      "{\n"
	      "\tlocal IFS=$'\\n'\n"
	      "\tcompopt -o filenames 2>/dev/null\n"
	      "\tCOMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n"
	      "}\n\n"
	      "_magic_trace()\n"
	      "{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} flags=\n"
	      "\tCOMPREPLY=()\n"
	      "\t# Readline takes -flag=value for three words.\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	      "\tfi\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	command_names(out);
	fputs("' -- \"$cur\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase ${prev/#--/-} in\n",
	      out);
	for (size_t i = 0; i < n; i++)
		value_case(out, &flags[i]);
	fputs("\tesac\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      out);
	for (enum command_id id = 0; id < COMMANDS; id++)
		command_case(out, id);
	fputs("\tesac\n"
	      "\tif [[ $cur == --* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -P - -W \"$flags\" -- \"${cur#-}\"))\n"
	      "\telif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
	      "\telif [[ ${COMP_WORDS[1]} == help ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	command_names(out);
	fputs("' -- \"$cur\"))\n"
	      "\telse\n"
	      "\t\t_magic_trace_paths -f\n"
	      "\tfi\n"
	      "}\n\n"
	      "complete -F _magic_trace magic-trace\n",
	      out);
}
