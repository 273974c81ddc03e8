/* SPDX-License-Identifier: MIT */
#include "record/entries.h"

#include "base/xalloc.h"
#include "soft/qemuctl.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_MAP     "recording-"
#define ENTRY_MAP_END ".map"

bool entry_is_data(const char *name)
{
	if (strncmp(name, ENTRY_DATA, strlen(ENTRY_DATA)) != 0)
		return false;
	name += strlen(ENTRY_DATA);
	if (!*name)
		return true;
	if (*name != '.' || !name[1])
		return false;
	return name[1 + strspn(name + 1, "0123456789")] == '\0';
}

void entry_map_name(int32_t pid, char name[ENTRY_MAP_NAME])
{
	snprintf(name, ENTRY_MAP_NAME, ENTRY_MAP "%" PRId32 ENTRY_MAP_END, pid);
}

static bool is_map(const char *name)
{
	size_t digits;

	if (strncmp(name, ENTRY_MAP, strlen(ENTRY_MAP)) != 0)
		return false;
	name += strlen(ENTRY_MAP);
	digits = strspn(name, "0123456789");
	return digits && strcmp(name + digits, ENTRY_MAP_END) == 0;
}

bool entry_is_ours(const char *name)
{
	return entry_is_data(name) || strcmp(name, ENTRY_DATA ".old") == 0 || is_map(name) ||
	       strcmp(name, ENTRY_JSON) == 0 || strcmp(name, ENTRY_JSON_NEW) == 0 ||
	       strcmp(name, QEMUCTL_SOCKET) == 0;
}

bool entry_is_data_directory(const char *path)
{
	char *data = xasprintf("%s/data", path);
	struct stat st;
	bool is = stat(data, &st) == 0 && S_ISREG(st.st_mode);

	free(data);
	return is;
}

uint64_t entry_size(const char *path)
{
	struct dirent *entry;
	struct stat st;
	uint64_t size = 0;
	DIR *dir;

	if (stat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (uint64_t)st.st_size;
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
			size += (uint64_t)st.st_size;
	}
	closedir(dir);
	return size;
}

/* perf opens what is called data, or data.N, in a directory of its own, whatever it is. */
static int check_inside(const char *path, struct err *err)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir = opendir(path);
	int r = 0;

	if (!dir)
		return err_errno(err, "%s", path);
	while (r == 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "data", 4) == 0 &&
		    fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && !S_ISREG(st.st_mode))
			r = err_set(err, "%s/%s: it is not a regular file", path, entry->d_name);
	}
	closedir(dir);
	return r;
}

int entry_check(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, "%s: it is neither a regular file nor a directory", path);
	if (access(path, R_OK) < 0)
		return err_errno(err, "%s", path);
	return S_ISDIR(st.st_mode) ? check_inside(path, err) : 0;
}
