/* SPDX-License-Identifier: MIT */
#include "cli/backend.h"

int backend_check(const struct options *options, struct err *err)
{
	enum backend backend = record_word(record_backends, options->backend);
	bool sampling = options->sampling || backend == BACKEND_SAMPLING;
	bool software = options->software || backend == BACKEND_SOFTWARE;

	if (sampling && software)
		err_set(err, "-sampling and -software exclude each other");
	else if ((sampling || software) && backend == BACKEND_PT)
		err_set(err, "-backend pt and -%s exclude each other",
			software ? "software" : "sampling");
	else
		return 0;
	return err_hint(err, "leave one of the two out");
}

enum backend backend_of(const struct options *options)
{
	if (options->sampling)
		return BACKEND_SAMPLING;
	if (options->software)
		return BACKEND_SOFTWARE;
	return record_word(record_backends, options->backend);
}
