# SPDX-License-Identifier: MIT
"""For tests of what there is too little of: rights, and room on a disk."""
import os
import subprocess

from live import Skip

NOBODY = "65534"
AS_NOBODY = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]


def need_root():
    if os.geteuid() != 0:
        raise Skip("the test is not run by root")


def need_nobody():
    need_root()
    p = subprocess.run([*AS_NOBODY, "true"], stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise Skip("the test cannot become another user: " + p.stderr.decode().strip())


def as_nobody(place):
    """A copy of magic-trace that nobody can execute, in a place where nobody can write."""
    need_nobody()
    os.chmod(place.dir, 0o777)
    os.chmod(place.tmp, 0o1777)
    copy = place.path("magic-trace")
    # by another process: what is open for writing here, a test beside this one may hand on by fork
    subprocess.run(["cp", os.path.join(place.build, "magic-trace"), copy], check=True)
    os.chmod(copy, 0o755)
    place.build = place.dir
    place.env["HOME"] = place.dir
    return AS_NOBODY


class Disk:
    """A small file system."""

    def __init__(self, place, size):
        need_root()
        self.path = place.path("disk")
        os.mkdir(self.path)
        p = subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755,size=" + size, "none",
                            self.path],
                           stderr=subprocess.PIPE, check=False)
        if p.returncode:
            raise Skip("a tmpfs cannot be mounted: " + p.stderr.decode().strip())

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)

    @staticmethod
    def fill(path):
        with open(path, "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(4096))
            except OSError:
                pass
