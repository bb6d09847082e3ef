# Does the time to a score still run on both sides? Tiny shapes.
torch="$(torch)"
mkdir -p "$work/bench"
ln -sfn "$torch" "$work/bench/torch"
export PARLEY_BENCH_CACHE="$work/bench"
quietly python3 bench/score.py small --quick --seeds 1 --parley "$(parley)"
quietly "$torch/bin/python" bench/pads.py --questions 4 --parley "$(parley)"
