# A file that is no store of ours is refused, and left byte for byte as it was.
. "$ROOT/tests/cli/lib.sh"
want 0 tune $QUICK --db good.db --pass forward --window none >/dev/null
echo "not a database, but long enough to be taken for one if nobody looked closely" >text.db
head -c 6000 good.db >cut.db
cp good.db newer.db
"$PYTHON" -c '
import sqlite3
sqlite3.connect("newer.db").execute("PRAGMA user_version = 99").connection.commit()
other = sqlite3.connect("other.db")
other.execute("CREATE TABLE notes (text)")
other.commit()'
for file in text cut newer other; do
	cp $file.db before
	echo "$file:"
	for command in "tune $QUICK" "pick $SHAPE" export; do
		"$PATTN" $command --db $file.db >out 2>err
		echo "[$?] $(wc -c <out) bytes, $(grep -c "^pattn: $file.db: " err) line"
		cmp before $file.db
	done
done
ls
