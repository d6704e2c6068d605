# Commands and options complete to what help lists.
source "$ROOT/docs/completion.bash"

# complete_to WANTED WORD...: what the last word completes to.
complete_to() {
	local wanted=$1
	shift
	COMP_WORDS=("$PATTN" "$@") COMP_CWORD=$#
	_pattn
	[ "${COMPREPLY[*]}" = "$wanted" ] || { echo "'$*' completes to '${COMPREPLY[*]}', not '$wanted'"; exit 1; }
}

complete_to "verify" v
complete_to "--trials" export --t
complete_to "--heads --hot --help" bench --h
complete_to "" bench x
complete_to "" nonsense --h
