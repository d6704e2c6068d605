# The store as JSON, CSV and Markdown.
. "$ROOT/tests/cli/lib.sh"
want 0 tune $QUICK --window 8 >/dev/null
want 0 export --format csv >winners.csv
want 0 export --format csv --trials -o trials.csv
head -n 1 winners.csv | tr -d '\r'
cut -d , -f 2-12 winners.csv | sort | tail -n +1 | grep '^cold' | tr -d '\r'
echo "$(tail -n +2 winners.csv | wc -l) ranked of $(tail -n +2 trials.csv | wc -l) trials"
want 0 export --format md | sed -E 's/^### .*/### DEVICE/; s/ [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| (\*\*|rank).*/ FIGURES/' | sort | uniq -c | sed 's/^ *//'
want 0 export --format json -o out.json
report out.json 'r["device"], r["problem"], len(r["winners"])'
PATTN_DB=tuning.db want 0 export --format csv | cmp - winners.csv
