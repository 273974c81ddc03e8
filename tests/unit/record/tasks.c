/* SPDX-License-Identifier: MIT */
#include "record/tasks.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err;

/* A program that runs: started with these arguments, and past its exec. */
static pid_t start(const char *path, const char *name, const char *argument)
{
	int started[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe2(started, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execl(path, name, argument, NULL);
		_exit(1);
	}
	close(started[1]);
	ck_assert_int_eq(read(started[0], &c, 1), 0);
	close(started[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* A process that has ended, and that nobody has waited for. */
static pid_t zombie(void)
{
	pid_t pid = fork();
	siginfo_t info;

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

START_TEST(test_names)
{
	pid_t pid = start("/bin/sleep", "x) R 0 \xff\n\"", "1000");
	struct recording *rec = recording_new();

	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	ck_assert_str_eq(recording_command_line(rec, pid), "x) R 0 \xff\n\" 1000");
	ck_assert_str_eq(recording_comm(rec, pid, pid), "sleep");
	ck_assert(task_is_alive(pid));
	ck_assert(!task_is_kernel(pid));
	ck_assert_int_eq(task_tgid(pid), pid);
	end(pid);
	/* what is gone stays in the recording */
	ck_assert_int_eq(tasks_collect(rec, pid), -1);
	ck_assert_str_eq(recording_comm(rec, pid, pid), "sleep");
	recording_free(rec);
}
END_TEST

/* A comm that is all that could lead a reader of /proc/PID/stat or status astray. */
START_TEST(test_hostile_comm)
{
	static const char *const names[] = { ") Z 1 (", "\nTgid:\t1", "\xff\n", "", ") ) )" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct recording *rec = recording_new();

		ck_assert_int_eq(prctl(PR_SET_NAME, names[i]), 0);
		ck_assert(task_is_alive(getpid()));
		ck_assert(!task_is_kernel(getpid()));
		ck_assert_int_eq(task_tgid(getpid()), getpid());
		ck_assert_int_eq(tasks_collect(rec, getpid()), 0);
		ck_assert_str_eq(recording_comm(rec, getpid(), getpid()), names[i]);
		recording_free(rec);
	}
}
END_TEST

START_TEST(test_exec_changes_names)
{
	struct recording *rec = recording_new();
	int go[2], ready[2];
	char c = 'x';
	pid_t pid;

	ck_assert_int_eq(pipe2(go, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "before");
		write(ready[1], &c, 1);
		read(go[0], &c, 1);
		execl("/bin/sleep", "after", "1000", NULL);
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	ck_assert_str_eq(recording_comm(rec, pid, pid), "before");
	ck_assert_int_eq(write(go[1], &c, 1), 1);
	ck_assert_int_eq(read(ready[0], &c, 1), 0);
	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	ck_assert_str_eq(recording_command_line(rec, pid), "after 1000");
	ck_assert_str_eq(recording_comm(rec, pid, pid), "sleep");
	ck_assert_uint_eq(rec->n_threads, 1);
	end(pid);
	recording_free(rec);
}
END_TEST

START_TEST(test_long_command_line)
{
	char *argument = malloc(100001);
	struct recording *rec = recording_new();
	const char *got;
	pid_t pid;

	ck_assert_ptr_nonnull(argument);
	memset(argument, '0', 100000);
	memcpy(argument + 99990, "1000", 5);
	pid = start("/bin/sleep", "sleep", argument);
	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	got = recording_command_line(rec, pid);
	ck_assert_uint_eq(strlen(got), 65536);
	ck_assert_int_eq(strncmp(got, "sleep 000", 9), 0);
	end(pid);
	recording_free(rec);
	free(argument);
}
END_TEST

struct worker {
	pthread_barrier_t named, done;
	pid_t tid;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = (pid_t)syscall(SYS_gettid);
	prctl(PR_SET_NAME, "worker");
	pthread_barrier_wait(&worker->named);
	pthread_barrier_wait(&worker->done);
	return NULL;
}

START_TEST(test_threads)
{
	struct recording *rec = recording_new();
	struct worker worker;
	pthread_t thread;
	pid_t *tids;
	size_t n;

	pthread_barrier_init(&worker.named, NULL, 2);
	pthread_barrier_init(&worker.done, NULL, 2);
	ck_assert_int_eq(tasks_list(getpid(), &tids, &n, &err), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(tids[0], getpid());
	free(tids);
	ck_assert_int_eq(tasks_collect(rec, getpid()), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, work, &worker), 0);
	pthread_barrier_wait(&worker.named);
	ck_assert_int_eq(tasks_list(getpid(), &tids, &n, &err), 0);
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(tids[0], getpid());
	ck_assert_int_eq(tids[1], worker.tid);
	free(tids);
	ck_assert_int_eq(tasks_collect(rec, getpid()), 0);
	ck_assert_str_eq(recording_comm(rec, getpid(), worker.tid), "worker");
	ck_assert_ptr_nonnull(recording_comm(rec, getpid(), getpid()));
	ck_assert_int_eq(task_tgid(worker.tid), getpid());
	ck_assert(task_is_alive(worker.tid));
	pthread_barrier_wait(&worker.done);
	pthread_join(thread, NULL);
	recording_free(rec);
}
END_TEST

static void *run_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The state that /proc/PID/stat gives; the comm here is without brackets. */
static char state_of(pid_t pid)
{
	char path[64], line[200] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	return strstr(line, ") ")[2];
}

START_TEST(test_alive)
{
	pid_t pid = zombie(), *tids;
	pthread_t thread;
	size_t n;

	ck_assert(!task_is_alive(pid));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(!task_is_alive(pid));
	ck_assert_int_eq(task_tgid(pid), 0);
	ck_assert(!task_is_kernel(pid));
	ck_assert_int_eq(tasks_list(pid, &tids, &n, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "there is no process"));
	ck_assert(!task_is_alive(0));
	ck_assert(!task_is_alive(-1));
	ck_assert_int_eq(task_tgid(0), 0);
	/* its first thread has ended, and shows as a zombie; the process has not */
	pid = fork();
	if (pid == 0) {
		pthread_create(&thread, NULL, run_on, NULL);
		pthread_exit(NULL);
	}
	while (state_of(pid) != 'Z')
		usleep(1000);
	ck_assert(task_is_alive(pid));
	end(pid);
}
END_TEST

/* A zombie has no command line any more. */
START_TEST(test_zombie_names)
{
	struct recording *rec = recording_new();
	pid_t pid = zombie();

	recording_add_process(rec, pid, "known before");
	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	ck_assert_str_eq(recording_command_line(rec, pid), "known before");
	recording_free(rec);
	rec = recording_new();
	prctl(PR_SET_NAME, "tasks-test");
	end(pid);
	pid = zombie();
	ck_assert_int_eq(tasks_collect(rec, pid), 0);
	ck_assert_str_eq(recording_command_line(rec, pid), "[tasks-test]");
	end(pid);
	recording_free(rec);
}
END_TEST

START_TEST(test_kernel_thread)
{
	struct recording *rec = recording_new();
	char *path;

	/* 2 is kthreadd where the processes of the whole machine are seen */
	if (system("grep -qsx kthreadd /proc/2/comm") != 0) {
		printf("SKIP test_kernel_thread: no thread of the kernel is to be seen\n");
		recording_free(rec);
		return;
	}
	ck_assert(task_is_kernel(2));
	ck_assert(task_is_alive(2));
	ck_assert_int_eq(tasks_collect(rec, 2), 0);
	ck_assert_str_eq(recording_command_line(rec, 2), "[kthreadd]");
	ck_assert_int_eq(task_executable(2, &path), -1);
	ck_assert_int_eq(errno, ENOENT);
	recording_free(rec);
}
END_TEST

static void check_executable(pid_t pid, const char *want)
{
	char *path;

	ck_assert_int_eq(task_executable(pid, &path), 0);
	ck_assert_str_eq(path, want);
	free(path);
}

START_TEST(test_executable)
{
	struct scratch s;
	char *program;
	pid_t pid;

	scratch_init(&s);
	ck_assert_int_eq(scratch_run(&s, "cp /bin/sleep \"a b\" && cp /bin/sleep \"x (deleted)\""),
			 0);
	program = strdup(scratch_path(&s, "a b"));
	pid = start(program, "sleep", "1000");
	check_executable(pid, program);
	ck_assert_int_eq(unlink(program), 0);
	check_executable(pid, program);
	/* another file is there now */
	scratch_put(&s, "a b", "");
	check_executable(pid, program);
	end(pid);
	free(program);
	/* a file that is really called so */
	program = strdup(scratch_path(&s, "x (deleted)"));
	pid = start(program, "sleep", "1000");
	check_executable(pid, program);
	ck_assert_int_eq(unlink(program), 0);
	check_executable(pid, program);
	free(program);
	end(pid);
	ck_assert_int_eq(task_executable(pid, &program), -1);
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("tasks", test_names, test_hostile_comm, test_exec_changes_names, test_long_command_line,
	   test_threads, test_alive, test_zombie_names, test_kernel_thread, test_executable)
