# Do the peers still run, in training and in whole steps? Tiny shapes.
mkdir -p "$work/bench"
ln -sfn "$(torch)" "$work/bench/torch"
PARLEY_BENCH_CACHE="$work/bench" python3 bench/run.py measure --quick --rounds 1 --warmup 0 --only train-smollm2-bf16,ragged-f32,group-bf16,step-smollm2 \
  --parley "$(parley)" >"$work/peers.log" 2>&1 || { tail -n 40 "$work/peers.log"; exit 1; }
