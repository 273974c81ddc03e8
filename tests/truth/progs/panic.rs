/* SPDX-License-Identifier: MIT */
/*
 * Panics that are caught, with destructors on the way, and passed on.
 *
 * Spans:
 *	panic::deep	12	*
 *	panic::catches	3	panic::main
 *	panic::passes_on	3	panic::main
 *	panic::mark	*	*
 */
use std::hint::black_box;
use std::panic;

struct Guard(i32);

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        mark(self.0);
    }
}

#[inline(never)]
fn mark(i: i32) -> i32 {
    black_box(i)
}

#[inline(never)]
fn deep(n: i32) -> i32 {
    let _guard = Guard(n);

    if n == 0 {
        panic!("deep enough");
    }
    deep(n - 1) + 1
}

#[inline(never)]
fn catches(n: i32) -> i32 {
    panic::catch_unwind(|| deep(n)).unwrap_or_else(|_| mark(7))
}

#[inline(never)]
fn passes_on(n: i32) -> i32 {
    let outer = panic::catch_unwind(|| {
        let _guard = Guard(1);

        match panic::catch_unwind(|| deep(n)) {
            Ok(value) => value,
            Err(error) => panic::resume_unwind(error),
        }
    });

    mark(outer.is_err() as i32)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    for n in 0..3 {
        black_box(catches(n) + passes_on(n));
    }
    println!("panic");
}
