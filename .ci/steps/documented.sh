# Every recipe that a document prints learns, or is followed by the warning that says why not.
export GOMAXPROCS=1 # two threads take a fifth more of the processors, and other steps run beside this one
need bwrap bubblewrap
names=()
for name in $(python3 bench/documented/check.py --list); do
  if turn; then names+=("$name"); fi
done
python3 bench/documented/check.py --parley "$(parley)" --python "$(clients)/bin/python" "${names[@]}"
