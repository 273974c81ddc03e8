/* SPDX-License-Identifier: MIT */
/* shownname: what a function is called in a trace, by the name that the compiler gave it. */
#ifndef MT_SYMBOL_SHOWNNAME_H
#define MT_SYMBOL_SHOWNNAME_H

#include "base/str.h"

#include <stdbool.h>

/* Longer names are shown as they are. */
#define SHOWNNAME_MAX 16384

struct shownname {
	struct str name;
	/* What tells the clone of a function from the function: ".constprop.0", ".cold"; or empty.
	 */
	struct str clone;
	char buf[SHOWNNAME_MAX]; /* private */
};

/*
 * Fills *shown, which may borrow from `raw`, a name of a symbol table or one that perf has
 * demangled. A clone that the compiler has made of a function (.constprop.N, .isra.N, .part.N,
 * .cold, .lto_priv.N, .llvm.N; or " [clone ...]" behind a demangled name) is called as the
 * function. With `demangle`, C++, Rust and D names are demangled; a hash that ends a Rust name is
 * left out; and OCaml's "camlFoo__bar_123" becomes "Foo.bar_123".
 */
void shownname(struct shownname *shown, struct str raw, bool demangle);

#endif
