# SPDX-License-Identifier: MIT
"""What a trace calls the functions that perf names."""
import re

CLONE = re.compile(r"(?<=.)((?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d+|\.cold(?:\.\d+)?)+)$")


def shown(name):
    """What a name is called, and what tells that it is a clone's, or None."""
    clone = CLONE.search(name)
    if clone:
        name = name[:clone.start()]
    ocaml = re.match(r"caml([A-Z].*)$", name, re.DOTALL)
    if ocaml and "__" in ocaml[1] or ocaml and "." in ocaml[1]:
        name = re.sub(r"\$([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)),
                      ocaml[1].replace("__", "."))
    return name, clone[1] if clone else None
