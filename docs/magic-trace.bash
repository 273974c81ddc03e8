# SPDX-License-Identifier: MIT
# Made by `make man` from the tables in src/cli; not to be edited.

_magic_trace_paths()
{
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen "$1" -- "$cur"))
}

_magic_trace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} flags=
	COMPREPLY=()
	# Readline takes -flag=value for three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W 'run attach decode check version help' -- "$cur"))
		return
	fi
	case ${prev/#--/-} in
	-trigger) :; return ;;
	-duration) :; return ;;
	-snapshot-size) :; return ;;
	-timer-resolution) :; return ;;
	-events) :; return ;;
	-pid | -p) :; return ;;
	-ready-fd) :; return ;;
	-working-directory) _magic_trace_paths -d; return ;;
	-output | -o) _magic_trace_paths -f; return ;;
	-filter) :; return ;;
	-last) :; return ;;
	-after) :; return ;;
	-before) :; return ;;
	-jobs) :; return ;;
	-backend) COMPREPLY=($(compgen -W 'auto pt sampling software' -- "$cur")); return ;;
	-software-engine) COMPREPLY=($(compgen -W 'auto qemu step' -- "$cur")); return ;;
	-software-time) COMPREPLY=($(compgen -W 'virtual real instructions' -- "$cur")); return ;;
	-callgraph-mode) COMPREPLY=($(compgen -W 'lbr lbr-no-stitch dwarf fp' -- "$cur")); return ;;
	-symfs) _magic_trace_paths -d; return ;;
	-executable) _magic_trace_paths -f; return ;;
	-inline) COMPREPLY=($(compgen -W 'on off' -- "$cur")); return ;;
	-max-depth) :; return ;;
	-stacks) COMPREPLY=($(compgen -W 'true reference' -- "$cur")); return ;;
	-time-spread) COMPREPLY=($(compgen -W 'work reference' -- "$cur")); return ;;
	esac
	case ${COMP_WORDS[1]} in
	run) flags='-trigger -multi-snapshot -multi-thread -full-execution -duration -snapshot-size -timer-resolution -events -ready-fd -program-status -working-directory -output -o -filter -last -after -before -jobs -sampling -backend -software -software-engine -software-time -follow-fork -callgraph-mode -trace-include-kernel -trace-kernel-only -symfs -no-demangle -inline -max-depth -stacks -time-spread -share -z-print-events -z-print-perf-commands -help -h ' ;;
	attach) flags='-trigger -multi-snapshot -multi-thread -full-execution -duration -snapshot-size -timer-resolution -events -pid -p -ready-fd -program-status -working-directory -output -o -filter -last -after -before -jobs -sampling -backend -software -software-engine -software-time -follow-fork -callgraph-mode -trace-include-kernel -trace-kernel-only -symfs -no-demangle -inline -max-depth -stacks -time-spread -share -z-print-events -z-print-perf-commands -help -h ' ;;
	decode) flags='-working-directory -output -o -filter -last -after -before -jobs -sampling -callgraph-mode -trace-include-kernel -trace-kernel-only -symfs -executable -no-demangle -inline -max-depth -stacks -time-spread -share -z-print-events -z-print-perf-commands -help -h ' ;;
	check) flags='-json -help -h ' ;;
	version) flags='-help -h ' ;;
	help) flags='-help -h ' ;;
	esac
	if [[ $cur == --* ]]; then
		COMPREPLY=($(compgen -P - -W "$flags" -- "${cur#-}"))
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
	elif [[ ${COMP_WORDS[1]} == help ]]; then
		COMPREPLY=($(compgen -W 'run attach decode check version help' -- "$cur"))
	else
		_magic_trace_paths -f
	fi
}

complete -F _magic_trace magic-trace
