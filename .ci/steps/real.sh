# A real checkpoint: SmolLM2-135M-Instruct.
export GOMAXPROCS=1 # two threads take a fifth more of the processors, and other steps run beside this one
parley="$(parley)"
models="$(smollm2)"
model="$models/SmolLM2-135M-Instruct.Q4_1.gguf"
export PARLEY_RUNS="$work/real"
train() {
  turn || return 0
  "$parley" train "$@" --json >"$work/report.json"
  cat "$work/report.json"
}

if have_shared; then
  PARLEY_DATA="$shared/data" PARLEY_MODELS="$models" PARLEY_GOLDENS="$shared/goldens" \
    go test -count=1 -timeout 20m -tags real -run Real $(folders_with '^func Test.*Real' | sed 's,^,./,')
  train magrpo-smollm-tldr --max-updates 2 --set eval.problems=4 --set "model=$model" --set "task.path=$shared/data/scitldr"
  train summarise-review-smollm --max-updates 1 --set eval.problems=4 --set "model=$model" --set "task.path=$shared/data/scitldr" --set engine.dtype=bf16
  train debate-smollm-svamp --max-updates 1 --set reward.source=label --set "reward.scoring.folders=[]" --set "model=$model" --set "task.path=$shared/data/svamp" \
    --set task.train=24 --set task.filter.min_pass_rate=0 --set task.filter.samples=2 --set training.problems=4 --set eval.problems=4
else
  left_out "the real checkpoint's goldens, real data sets, and training on SciTLDR and SVAMP"
fi
train debate-smollm-sums --max-updates 2 --set "model=$model" --set eval.problems=4
train debate-sums-mixed --max-updates 1 --set "models=[parley-base, $model]" --set training.problems=8 --set eval.problems=4
train magrpo-central-smollm-tiny --set eval.problems=4 --max-updates 1 --set "model=$model" --set engine.dtype=bf16
train magrpo-smollm-mbpp --set eval.problems=4 --set task.filter.samples=2 --set task.filter.held_out=false --max-updates 1 --set "model=$model" --set engine.dtype=bf16
train path-smollm --max-updates 1 --set eval.problems=4 --set training.problems=2 --set group.size=4 --set "model=$model" --set engine.dtype=bf16
