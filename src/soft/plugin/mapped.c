/* SPDX-License-Identifier: MIT */
#include "soft/plugin/mapped.h"

#include "base/procmaps.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Which device and inode a mapping of the file shows: on overlayfs and btrfs these are not those of
 * stat(2).
 */
static int identify(struct mapped_trigger *t, int fd, struct err *err)
{
	const struct mapping *found;
	struct procmaps maps;
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	int failed;

	if (page == MAP_FAILED)
		return err_errno(err, "mmap");
	failed = procmaps_read(getpid(), &maps, err);
	if (!failed) {
		found = procmaps_find(&maps, (uintptr_t)page);
		t->inode = found ? found->inode : 0;
		t->device = found ? makedev(found->major, found->minor) : 0;
		procmaps_fini(&maps);
	}
	munmap(page, 1);
	if (failed)
		return -1;
	return t->inode ? 0 : err_set(err, "its mapping is not to be found");
}

int mapped_set_trigger(struct mapped *m, const char *file, uint64_t at, struct err *err)
{
	struct mapped_trigger *t = &m->trigger;
	int fd, r;

	*t = (struct mapped_trigger){ .set = true, .at = at };
	if (!file)
		return 0;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "cannot open %s", file);
	r = identify(t, fd, err);
	close(fd);
	return r < 0 ? err_prefix(err, "cannot look at %s", file) : 0;
}

const struct mapped_range *mapped_find(const struct mapped *m, uint64_t address)
{
	for (size_t i = 0; i < m->n; i++)
		if (address - m->all[i].start < m->all[i].end - m->all[i].start)
			return &m->all[i];
	return NULL;
}

void mapped_forget(struct mapped *m, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < m->n;) {
		const struct mapped_range *r = &m->all[i];

		if (r->start < start ? r->end <= start : r->start - start >= size)
			i++;
		else
			m->all[i] = m->all[--m->n];
	}
}

/* Where the trigger is in this mapping; 0: not there. */
static uint64_t trigger_in(const struct mapped_trigger *t, const struct perfdata_mapping *mapping)
{
	uint64_t device = makedev(mapping->major, mapping->minor);

	if (!t->set)
		return 0;
	if (t->inode == 0)
		return t->at - mapping->start < mapping->size ? t->at : 0;
	if (t->inode != mapping->inode || t->device != device || t->at < mapping->offset ||
	    t->at - mapping->offset >= mapping->size)
		return 0;
	return mapping->start + (t->at - mapping->offset);
}

static const struct mapped_range *remember(struct mapped *m, const struct perfdata_mapping *mapping)
{
	mapped_forget(m, mapping->start, mapping->size);
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 32;
		m->all = xreallocarray(m->all, m->room, sizeof(*m->all));
	}
	m->all[m->n] = (struct mapped_range){ .start = mapping->start,
					      .end = mapping->start + mapping->size,
					      .trigger = trigger_in(&m->trigger, mapping) };
	return &m->all[m->n++];
}

const struct mapped_range *mapped_look_up(struct mapped *m, uint64_t address, uint64_t base,
					  struct perfdata_mapping *mapping)
{
	const struct mapped_range *range = NULL;
	const struct mapping *found;
	struct procmaps maps;

	if (procmaps_read(getpid(), &maps, NULL) < 0)
		return NULL;
	found = procmaps_find(&maps, address + base);
	if (found) {
		/* QEMU maps the program's code so that it cannot be executed by itself */
		*mapping = (struct perfdata_mapping){
			.start = found->start - base,
			.size = found->end - found->start,
			.offset = found->offset,
			.major = found->major,
			.minor = found->minor,
			.inode = found->inode,
			.read = true,
			.execute = true,
			.shared = found->shared,
			.path = xstrdup(found->path[0] ? found->path : "//anon"),
		};
		range = remember(m, mapping);
	}
	procmaps_fini(&maps);
	return range;
}
