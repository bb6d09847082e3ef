# Runs that are killed and damaged go on to the same bytes, or say what is wrong and how to go on: the short form, always the same faults.
need strace strace
quietly python3 bench/faults.py --kills 12 --damages 24 --seed 2 --parley "$(parley)"
