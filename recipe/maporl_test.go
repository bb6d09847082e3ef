package recipe_test

import (
	"fmt"
	"strings"
	"testing"
)

// paperValues are those of MAPoRL §7 ("ours") and §12, by key.
const paperValues = `
model: microsoft/Phi-3-mini-128k-instruct
engine.dtype: nf4
seed: 42
task.name: tinygsm
task.train: 12800
task.max_question_tokens: 0
team.agents: 2
team.turns: 3
team.reward_feedback: true
team.consensus.share: 1.1
sampling.temperature: 0.7
sampling.top_k: 0
sampling.top_p: 1
sampling.max_tokens: 300
sampling.min_tokens: 50
policies.sharing: per-turn
policies.first_trained_turn: 2
policies.rank: 8
policies.alpha: 16
policies.dropout: 0
reward.source: trained
reward.design: influence
reward.gamma: 1
reward.incentives.alpha0: 0
reward.incentives.alpha1: 0
reward.incentives.beta0: 0
reward.incentives.beta1: 0
reward.incentives.by: label
reward.incentives.rule: paper
reward.penalties.size: -10
reward.penalties.scope: score
reward.penalties.no_box: true
reward.penalties.min_tokens: 50
reward.penalties.after_box: true
reward.penalties.repeats: 3
reward.penalties.repeat_min: 2
reward.penalties.repeat_max: 5
ppo.epochs: 4
ppo.clip: 0.2
ppo.value_clip: 0.2
ppo.value_half: true
ppo.value_coef: 0.1
ppo.value_input: answer
ppo.kl: 0.0002
ppo.kl_form: sampled
ppo.terminal: last
ppo.lambda: 0.95
ppo.gamma_token: 1
ppo.whiten: true
ppo.schedule: all
optimizer.lr: 0.00001
optimizer.beta1: 0.9
optimizer.beta2: 0.95
optimizer.weight_decay: 0.01
optimizer.clip_norm: 0
optimizer.warmup: 10
optimizer.decay: linear
optimizer.final_lr: 0.1
training.updates: 50
training.problems: 256
eval.problems: 1319
eval.agents: 3
eval.invalid: vote
eval.extract: 5
eval.task.name: gsm8k
`

// repoValues are those of the reference repository, where they are others.
const repoValues = `
task.train: 100000
task.max_question_tokens: 250
sampling.min_tokens: 0
reward.gamma: 0.3
reward.incentives.rule: reference
reward.penalties.after_box: false
reward.penalties.repeat_min: 1
reward.penalties.repeat_max: 20
ppo.kl: 0.002
ppo.terminal: trl
ppo.schedule: alternating
optimizer.beta2: 0.999
optimizer.warmup: 0
training.updates: 1172
`

// TestMAPoRLPresets compares what `parley recipe show` prints with the tables.
func TestMAPoRLPresets(t *testing.T) {
	paper, repo := values(paperValues), values(paperValues)
	for key, v := range values(repoValues) {
		if paper[key] == v {
			t.Errorf("%s is no difference", key)
		}
		repo[key] = v
	}
	for name, want := range map[string]map[string]string{"maporl-paper": paper, "maporl-repo": repo} {
		r, err := lang.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := printed(string(r.YAML()))
		for key, v := range want {
			if got[key] != v {
				t.Errorf("%s: %s is %s, want %s", name, key, got[key], v)
			}
		}
	}
}

func values(table string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		key, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
		out[key] = v
	}
	return out
}

// printed reads the keys with values on their own line of a printed recipe.
func printed(yaml string) map[string]string {
	out, path := map[string]string{}, []string{}
	for line := range strings.Lines(yaml) {
		name, v, ok := strings.Cut(strings.TrimSpace(line), ":")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		if !ok || strings.HasPrefix(name, "#") || strings.HasPrefix(name, "-") || depth > len(path) {
			continue
		}
		path = append(path[:depth], name)
		out[strings.Join(path, ".")] = strings.TrimSpace(v)
	}
	return out
}

// TestMAPoRLExperiments: each experiment ships at paper size, over the paper's values, and has a twin of three seeds for a laptop.
func TestMAPoRLExperiments(t *testing.T) {
	for _, e := range []string{"e1", "e2", "e3", "e4", "e5", "g7", "g8"} {
		full, err := lang.Load("maporl-"+e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if full.Preset != "maporl-paper" {
			t.Errorf("%s has the preset %q", full.Name, full.Preset)
		}
		twin, err := lang.Load(fmt.Sprintf("maporl-%s-tiny", e), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(twin.Experiment.Seeds) != 3 || twin.Minutes <= 0 || twin.Minutes > 15 {
			t.Errorf("%s: seeds %v, %g minutes", twin.Name, twin.Experiment.Seeds, twin.Minutes)
		}
		if trials, err := twin.Trials(); err != nil || len(trials)%3 != 0 {
			t.Errorf("%s: %d runs, %v", twin.Name, len(trials), err)
		}
	}
}
