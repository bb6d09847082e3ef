# A run of each study that ships with its base is done again, and has the numbers of its row in docs/studies. The rows are of avx512bf16. TestScripts has a
# small study for every processor.
#
# These wait for new rows, because numbers have changed since theirs: credit-rules, lora-or-full, roles-sharing, selfplay, selfplay-edge.
export GOMAXPROCS=1 PARLEY_CPU=avx512bf16 # two threads take a fifth more of the processors, and other steps run beside this one
parley="$(parley)"
"$parley" doctor --json >"$work/doctor.json"
grep -q "kernel sets:.* $PARLEY_CPU" "$work/doctor.json" || { echo "LEFT OUT: the rows of studies: this processor lacks $PARLEY_CPU" | tee -a "$common/left_out"; exit; }
while read -r study seed; do
  turn || continue
  quietly "$parley" study verify "$study" --rows "docs/studies/$study.jsonl" --seed "$seed"
done <<'STUDIES'
maporl-twins 2
maporl-verifier 1
magrpo-choices 1
STUDIES
