# Programs of frameworks of agents, trained as they are; and the examples that need clients of their own.
export PARLEY_RUNS="$work/runs"
parley="$(parley)"
python="$(frameworks)/bin/python"
quietly "$python" bench/harness/train.py --parley "$parley"
cp -r examples/own-harness "$work/examples"
for name in team graph; do
  quietly "$parley" train "$work/examples/$name.yaml" --set "team.harness.interpreter=$python" --max-updates 2 --set training.problems=4 --set eval.problems=4 --json >"$work/report.json"
done
