# Every recipe that a document prints learns, or is followed by the warning that says why not.
need bwrap bubblewrap
python3 bench/documented/check.py --parley "$(parley)"
