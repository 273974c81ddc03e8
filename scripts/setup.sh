#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what building, running and testing magic-trace needs and this machine lacks: Debian 12,
# Ubuntu 22.04 and 24.04 (apt), Fedora (dnf). As root, or with sudo. Nothing else is changed.
#
#   scripts/setup.sh           what `make`, `make check` and `make demo` need
#   scripts/setup.sh --lint    also what `make lint` and .ci/run need
#   scripts/setup.sh --print   names the packages; installs nothing
set -eu

lint=
print=
for arg; do
	case $arg in
	--lint) lint=1 ;;
	--print) print=1 ;;
	*)
		echo "usage: scripts/setup.sh [--lint] [--print]" >&2
		exit 2
		;;
	esac
done

# A build of perf for the running kernel is best, but any reads any data file.
ubuntu_perf()
{
	echo linux-tools-common linux-tools-generic
	if apt-cache show "linux-tools-$(uname -r)" >/dev/null 2>&1; then
		echo "linux-tools-$(uname -r)"
	fi
}

# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$ID ${ID_LIKE:-}")
case " $system " in
*' ubuntu '*) manager=apt perf=$(ubuntu_perf) ;;
*' debian '*) manager=apt perf=linux-perf ;;
*' fedora '*) manager=dnf perf=perf ;;
*)
	echo "setup.sh does not know the packages of '$system'. What it would install:" >&2
	manager=apt perf=linux-perf print=1
	;;
esac
if [ -z "$print" ] && command -v perf >/dev/null && perf version >/dev/null 2>&1; then
	perf=
fi

if [ $manager = apt ]; then
	packages="gcc g++ libc6-dev make pkg-config libdw-dev libelf-dev libisal-dev libzstd-dev
		libjansson-dev libiberty-dev check python3 binutils bash zstd $perf"
	[ -z "$lint" ] || packages="$packages clang clang-format clang-tidy cppcheck groff-base"
	is_installed()
	{
		dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
	}
else
	packages="gcc gcc-c++ glibc-devel make pkgconf-pkg-config elfutils-devel elfutils-libelf-devel
		isa-l-devel libzstd-devel jansson-devel binutils-devel check-devel python3 binutils bash
		zstd libasan libubsan findutils diffutils $perf"
	[ -z "$lint" ] || packages="$packages clang clang-tools-extra cppcheck groff-base"
	is_installed()
	{
		rpm -q --whatprovides "$1" >/dev/null 2>&1
	}
fi

missing=
for package in $packages; do
	is_installed "$package" || missing="$missing $package"
done

# Nothing is built with it: `run -software` runs programs under it (version 7.2 or later).
optional=qemu-user

if [ -n "$print" ]; then
	for package in $packages $optional; do
		echo "$package"
	done
	exit 0
fi
is_installed $optional && optional=
if [ -z "$missing$optional" ]; then
	echo 'setup.sh: everything is there'
	exit 0
fi

root=
if [ "$(id -u)" -ne 0 ]; then
	root=sudo
	command -v sudo >/dev/null || {
		echo "setup.sh: as root, install:$missing $optional" >&2
		exit 1
	}
fi
echo "setup.sh: installing$missing $optional"
install_packages()
{
	if [ $manager = apt ]; then
		$root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
			--no-install-recommends "$@"
	else
		$root dnf install -y "$@"
	fi
}

[ $manager != apt ] || $root apt-get update -q
# $missing is a list of words.
# shellcheck disable=SC2086
[ -z "$missing" ] || install_packages $missing
[ -z "$optional" ] || install_packages "$optional" ||
	echo "setup.sh: $optional cannot be installed: the tests that need it are skipped" >&2
