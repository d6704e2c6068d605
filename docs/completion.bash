# Completion for bash: `source docs/completion.bash`. It asks the tool itself, and so is never behind.
_pattn() {
	local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} words=
	if ((COMP_CWORD == 1)); then
		words=$("$tool" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
	elif [[ $word == -* ]]; then
		words=$("$tool" help "${COMP_WORDS[1]}" 2>/dev/null |
			sed -n 's/^ *\(-[a-z], \)\?\(--[a-z-]*\).*/\2/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _pattn pattn
