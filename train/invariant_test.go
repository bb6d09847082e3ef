package train_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/internal/shortrun"
	"parley/recipe/language"
	"parley/train"
)

// oneStep is a workflow in which one agent is asked once.
const oneStep = `name: one
task: {name: sums}
team:
  protocol: workflow
  agents: {solver: {}}
  workflow:
    - {ask: solver, prompt: "Question: {{.Question}}\nSolve step by step. Answer: \\boxed{XX}"}
  answer: solver
policies: {sharing: per-agent}
sampling: {max_tokens: 24}
group: {size: 4}
optimizer: {lr: 0.001, warmup: 0, decay: none}
training: {updates: 2, problems: 8}
`

// TestOneStepIsGRPO: one agent that is asked once learns the same from a tree as from whole episodes: both are GRPO. All that is learned from
// is equal to the bit; gradients are sums of float32 in another order, as the completions of a tree share the pass over their prompt.
func TestOneStepIsGRPO(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(oneStep), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"magrpo", "marloo", "maremax", "mareinforce"} {
		metrics := map[string][]train.Metrics{}
		for _, rollout := range []string{"tree", "episodes"} {
			r, err := language.New().Load(file, append([]string{"algorithm=" + algorithm, "group.rollout=" + rollout}, shortrun.Small...))
			if err != nil {
				t.Fatal(err)
			}
			_, metrics[rollout] = shortrun.Run(t, r)
		}
		for i := range metrics["tree"] {
			tree, episodes := metrics["tree"][i].Stats, metrics["episodes"][i].Stats
			norm, other := tree.GradNorm["policy-solver"], episodes.GradNorm["policy-solver"]
			if math.Abs(norm-other) > 1e-6*norm || i == 0 && norm == 0 {
				t.Errorf("%s, update %d: gradients of norm %v and %v", algorithm, i+1, norm, other)
			}
			tree.GradNorm, episodes.GradNorm = nil, nil
			if i == 0 && !reflect.DeepEqual(tree, episodes) {
				t.Errorf("%s: episodes\n%+v\ntree\n%+v", algorithm, episodes, tree)
			}
		}
	}
}

// TestWorkflowLearners: debates, critics and examples learn where an agent speaks several times or not at all. A policy takes a step only for
// what its agent said, and what is learned is a number.
func TestWorkflowLearners(t *testing.T) {
	text, err := os.ReadFile("../recipe/shipped/review-tiny.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "algorithm: magrpo\n")
	_, after, _ := strings.Cut(rest, "optimizer:")
	file := filepath.Join(t.TempDir(), "review.yaml")
	if err := os.WriteFile(file, []byte(before+"optimizer:"+after), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sets := range [][]string{
		{"algorithm=mappo"},
		{"algorithm=mappo", "policies.sharing=shared"},
		{"algorithm=mappo", "policies.sharing=per-turn"},
		{"algorithm=sft", "policies.sharing=per-turn"},
		{"algorithm=iac", "group.size=1"},
		{"algorithm=iac", "group.size=1", "policies.sharing=shared"},
		{"algorithm=iac", "group.size=1", "policies.sharing=per-turn"},
		{"algorithm=maac", "group.size=1"},
		{"algorithm=maac", "group.size=1", "policies.sharing=per-agent-turn"},
	} {
		r, err := language.New().Load(file, append(append([]string{"training.updates=1", "training.problems=4"}, sets...), shortrun.Small...))
		if err != nil {
			t.Fatal(err)
		}
		_, metrics := shortrun.Run(t, r)
		if m := metrics[0]; m.OptimizerSteps == 0 || len(m.GradNorm) == 0 || m.Nodes <= m.Problems || m.Nodes >= 5*m.Problems {
			t.Errorf("%v: %d steps of %v over %d nodes", sets, m.OptimizerSteps, m.GradNorm, m.Nodes)
		}
	}
}
