/* SPDX-License-Identifier: MIT */
/*
 * A program to look at: it loads the maths library as a plugin would be loaded, and then makes
 * frames, each of a fast part (move), a slow one (draw), and, in one of ten, a hiccup (save).
 *
 * demo [FRAMES [WORK]]: less work makes the same calls, which is for those who count each branch.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES 60
#define WORK   1500
#define BALLS  300

/* So that each function is seen in the trace. */
#define FUNCTION __attribute__((noinline)) static

typedef double (*real_fn)(double);

static double position[BALLS];
static int work = WORK;

FUNCTION real_fn load_cos(void **plugin)
{
	*plugin = dlopen("libm.so.6", RTLD_NOW);
	if (!*plugin) {
		fprintf(stderr, "demo: %s\n", dlerror());
		exit(1);
	}
	return (real_fn)dlsym(*plugin, "cos");
}

FUNCTION void move(real_fn real_cos, int frame)
{
	for (int i = 0; i < BALLS; i++)
		position[i] += real_cos(frame + i);
}

FUNCTION double shade(real_fn real_cos, double x)
{
	double light = real_cos(x);

	for (int i = 0; i < work; i++)
		light = light * 0.999 + x;
	return light;
}

FUNCTION double draw(real_fn real_cos)
{
	double sum = 0;

	for (int i = 0; i < BALLS; i++)
		sum += shade(real_cos, position[i]);
	return sum;
}

FUNCTION int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

FUNCTION double checksum(void)
{
	double sum = 0;

	for (int round = 0; round < work; round++) {
		for (int i = 0; i < BALLS; i++)
			sum = sum * 0.5 + position[i];
	}
	return sum;
}

FUNCTION double save(void)
{
	qsort(position, BALLS, sizeof(*position), compare);
	return checksum();
}

FUNCTION double make_frame(real_fn real_cos, int frame)
{
	double sum;

	move(real_cos, frame);
	sum = draw(real_cos);
	if (frame % 10 == 9)
		sum += save();
	return sum;
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? (int)strtol(argv[1], NULL, 10) : FRAMES;
	void *plugin;
	real_fn real_cos = load_cos(&plugin);
	double sum = 0;

	if (argc > 2)
		work = (int)strtol(argv[2], NULL, 10);
	for (int frame = 0; frame < frames; frame++)
		sum += make_frame(real_cos, frame);
	printf("demo: %g\n", sum);
	dlclose(plugin);
	return 0;
}
