# SPDX-License-Identifier: MIT
"""The programs of progs/, and the forms in which they are measured."""
import collections
import os
import shutil
import subprocess

PROGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "progs")

# Only tail has calls that are jumps: where others have none, sources say who calls whom.
NO_TAILS = ("-fno-optimize-sibling-calls",)
# Start-up without a dynamic linker is a tenth of the work.
STATIC = ("-static",)
# crt files of -static would have all of .eh_frame sorted before the first exception.
STATIC_PIE = ("-static-pie", "-fPIE")
# The unwinder has to be the same as the library's.
CXX = ("-static-libstdc++", "-shared-libgcc")

# name; source; what it prints; flags; more when it is quickly recorded, more when it is not;
# library: a source that is a part of the program when that is static; arguments, when it is not
# quickly recorded
Program = collections.namedtuple("Program", "name source prints flags quick long library arguments",
                                 defaults=(None, ()))

PROGRAMS = [
    Program("exc", "exc.cc", "exc -5 44\n", NO_TAILS, ("-O1", *STATIC_PIE), CXX, "exclib.c"),
    Program("dl", "dl.c", "dl 0 3.728\n", NO_TAILS, ("-O1",), (), None),
    Program("tail", "tail.c", "tail 360\n", (), ("-O2",), ("-foptimize-sibling-calls",), None),
    Program("stl", "stl.cc", "stl 2660 60 1 7\n", (), ("-O2", *STATIC), CXX, None),
    Program("exec", "exec.c", "exec 20\n", NO_TAILS, ("-O1", *STATIC), (), None),
    Program("rec", "rec.c", "rec 55 7 1 600\n", NO_TAILS, ("-O1", *STATIC), (), None),
    Program("qs", "qs.c", "qs 0 97 2\n", NO_TAILS, ("-O1", *STATIC), (), None),
    Program("thr", "thr.c", "thr 183\n", NO_TAILS, ("-O1", *STATIC), (), None),
    Program("jmp", "jmp.c", None, NO_TAILS, ("-O1", *STATIC), (), None),
    Program("sig", "sig.c", None, NO_TAILS, ("-O1", *STATIC), (), None),
    Program("coro", "coro.c", None, NO_TAILS, ("-O1", *STATIC), (), None),
    Program("fiber", "fiber.c", "fiber 73 2\n", NO_TAILS, ("-O1", *STATIC), (), None),
    Program("fibers", "fibers.c", None, NO_TAILS, ("-O1", *STATIC), (), None),
    Program("push", "push.c", "push 30\n", NO_TAILS, ("-O1", *STATIC), ()),
    Program("coro20", "coro20.cc", "coro20 133\n", ("-std=gnu++20", *NO_TAILS),
            ("-O1", *STATIC), CXX),
    Program("far", "far.c", None, NO_TAILS, ("-O1", *STATIC), (), None, ("10000",)),
]

# In make check-long only.
SLOW = [
    Program("lazy", "lazy.c", "lazy 210\n", ("-foptimize-sibling-calls", "-Wl,-z,lazy"), (), (),
            "lazylib.c"),
    Program("excthr", "excthr.cc", "excthr 32 7\n", NO_TAILS, (), CXX),
    Program("ctx", "ctx.cc", "ctx 42\n", NO_TAILS, (), CXX),
    Program("jmpco", "jmpco.c", None, NO_TAILS, (), ()),
    Program("context", "context.c", None, NO_TAILS, (), ()),
    Program("term", "term.cc", None, NO_TAILS, (), CXX),
    Program("nested", "nested.cc", None, NO_TAILS, (), CXX),
    Program("exits", "exits.c", None, NO_TAILS, (), ()),
]

# Others of the same programs: each is built in a way of its own.
BUILDS = {
    "retpoline": ("-mindirect-branch=thunk", "-mindirect-branch-register", "-fcf-protection=none"),
    "cet": ("-fcf-protection=full",),
    "fortify": ("-D_FORTIFY_SOURCE=2",),
}

# Of other languages, where there is a compiler for them; in make check-long only.
FOREIGN = [
    Program("panic", "panic.rs", "panic\n", ("-g", "-C", "opt-level=1"), (), ()),
    Program("raise", "raise.ml", None, ("-g", "-inline", "0"), (), ()),
]
COMPILERS = {".rs": "rustc", ".ml": "ocamlopt"}

# Programs that every Linux has, measured whole.
WHOLE = {
    "sort": ("sort", "-n", PROGS + "/rec.c"),
    "bash": ("bash", "-c", "for i in 1 2; do /bin/true; done; trap 'echo hi' USR1; kill -USR1 $$"),
    "perl": ("perl", "-e", "eval { die \"a\\n\" } for 1 .. 20; print sort { $a <=> $b } 3, 1, 2"),
}

# A program in one form: the name of that, and its flags.
Form = collections.namedtuple("Form", "name program flags")


def quick_forms():
    return [Form(p.name, p, (*p.flags, *p.quick)) for p in PROGRAMS]


def long_forms():
    """With shared libraries, at two levels of optimisation."""
    return [Form(p.name + level, p, (*p.flags, *p.long, level))
            for p in PROGRAMS + SLOW for level in ("-O1", "-O2")] + \
        [Form("%s-%s" % (p.name, build), p, (*p.flags, *p.long, "-O2", *flags))
         for build, flags in BUILDS.items() for p in PROGRAMS
         if p.name in ("tail", "stl", "jmp", "exc")] + \
        [Form(p.name, p, p.flags) for p in FOREIGN if shutil.which(foreign_compiler(p))]


def foreign_compiler(program):
    """None for C and C++."""
    return COMPILERS.get(os.path.splitext(program.source)[1])


def source(form):
    return os.path.join(PROGS, form.program.source)


def compile_with(path, src, flags):
    cxx = src.endswith(".cc")
    subprocess.run(["g++" if cxx else "gcc", "-std=" + ("gnu++17" if cxx else "gnu17"),
                    "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-pthread", "-o", path,
                    src, *flags], check=True)
    return path


def compile_foreign(path, src, compiler, flags):
    """What it writes beside the source is to stay in the program's directory."""
    copy = shutil.copy(src, os.path.dirname(path))
    subprocess.run([compiler, *flags, "-o", path, copy], check=True)
    return path


def build(form, directory):
    """Makes it in the directory; its path."""
    flags, path = list(form.flags), os.path.join(directory, form.program.name)
    if foreign_compiler(form.program):
        return compile_foreign(path, source(form), foreign_compiler(form.program), flags)
    if form.program.library:
        lib = os.path.join(PROGS, form.program.library)
        static = "-static-pie" in flags
        kind = ("-c", "-fPIE") if static else ("-fPIC", "-shared", "-shared-libgcc")
        out = os.path.join(directory, "part.o" if static else "libpart.so")
        optimise = [f for f in flags if f.startswith("-O")]
        flags.append(compile_with(out, lib, (*kind, "-fexceptions", *optimise)))
        if not static:
            flags.append("-Wl,-rpath,$ORIGIN")
    return compile_with(path, source(form), flags)
