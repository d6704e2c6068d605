# CUDA's and HIP's folders share no run of code longer than a dozen lines: what is common is in kernels/gpu.
cd "$ROOT" || exit 1
awk '
	FNR == 1 { filled = 0 }
	{ gsub(/^[ \t]+|[ \t]+$/, "") }
	$0 == "" { next }
	{
		run = ""
		for (i = 1; i < 13; i++) { last[i] = last[i + 1]; run = run last[i] "\n" }
		last[13] = $0
		if (++filled < 13)
			next
		run = run $0
		if (FILENAME ~ /^kernels\/cuda\//)
			seen[run] = FILENAME
		else if (run in seen) {
			print FILENAME ":" FNR " ends a run of lines that " seen[run] " has too"
			fault = 1
		}
	}
	END { exit fault }' $(git ls-files kernels/cuda kernels/hip)
