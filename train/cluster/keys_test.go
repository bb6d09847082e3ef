package cluster_test

import (
	"slices"
	"strings"
	"testing"

	"parley/engine/tinker/probe"
	"parley/recipe/language"
	"parley/recipe/pages"
	"parley/train/cluster"
)

// What becomes of a key where a server computes.
const (
	works   = "works"   // it means there what it means here
	nothing = "nothing" // it is about this machine, and changes no number
	refused = "refused" // some of its values are, before anything starts
)

// onServers says what becomes of keys. Whole sections are named by their sections; what is about single keys stands behind them.
var onServers = map[string]string{
	"top level": works, "memory": nothing,
	"engine": nothing, "engine.dtype": refused, "engine.tinker": works, "engine.torch": nothing,
	"task": works, "task.filter": works,
	"team": works, "team.chat_memory": works, "team.consensus": works, "team.expert": works, "team.lessons": works, "team.prompts": works,
	"team.harness": works, "team.proposals": works, "team.tools": works,
	"sampling": works, "sampling.temperature": refused, "sampling.top_k": refused, "sampling.top_p": refused, "sampling.min_tokens": refused,
	"policies": works, "policies.targets": refused, "policies.full": refused, "policies.alpha": refused,
	"optimizer": works, "optimizer.weight_decay": refused, "optimizer.clip_norm": refused,
	"reward": works, "reward.source": refused, "reward.scoring": works, "reward.user": works, "reward.model": works, "reward.incentives": works,
	"reward.penalties": works, "critic": works, "critic.init": refused, "critic.hidden": refused, "critic.head": refused,
	"ppo": works, "ppo.kl_form": refused,
	"group": works, "credit": works, "credit.influence": works, "credit.rae": works, "credit.solo": works, "loss": works, "opponents": works,
	"preference": works, "preference.server": works, "servers": works, "sampler.openai": refused, "malt": works, "sft": works, "sweet": works, "sweet.critic": works,
	"mutual": works, "read": works, // agents that are no policies, or are asked and not trained
	"algorithm": refused, "collab": refused, "distil": refused, "fuse": refused, // by their algorithm
	"training": works, "training.role_gradients": refused, "training.mlflow": works,
	"eval": works, "eval.task": works, "eval.temperature": refused, "limits": works, "experiment": works,
}

// TestEveryKey: of every key of recipes, with a section of its own or without, it is known what becomes of it on a server. A new section of keys
// needs a word here, and one that a server has no words for needs a refusal.
func TestEveryKey(t *testing.T) {
	known := map[string]bool{}
	for _, key := range everyKey() {
		section, _, _ := strings.Cut(key, "|")
		name := strings.TrimPrefix(strings.Replace(key, "|", ".", 1), "top level.")
		if onServers[section] == "" && onServers[name] == "" {
			t.Errorf("what becomes of %s on a server?", name)
		}
		known[section], known[name] = true, true
	}
	for name := range onServers {
		if !known[name] {
			t.Errorf("there is no key %s", name)
		}
	}
	if len(known) < 250 {
		t.Errorf("%d keys are known", len(known))
	}
}

// everyKey are the keys of all sections but those of tasks, which never reach an engine: SECTION|KEY.
func everyKey() (out []string) {
	for page, text := range pages.Pages(language.New()) {
		if strings.Contains(page, "task-") {
			continue
		}
		section, table := "", false
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "#"):
				section, table = strings.Trim(line, "#` \n"), false
			case strings.HasPrefix(line, "| key |"):
				table = true
			case table && strings.HasPrefix(line, "| `"):
				if key := section + "|" + strings.Split(line, "`")[1]; !slices.Contains(out, key) {
					out = append(out, key)
				}
			}
		}
	}
	return out
}

// refusals are recipes that ask for what is refused in the table above, and the words that say so.
var refusals = map[string][]string{
	"engine.dtype":            {"magrpo-tiny", "engine.dtype=bf16"},
	"sampling.temperature":    {"magrpo-tiny", "sampling.temperature=0.5"},
	"sampling.top_k":          {"magrpo-tiny", "sampling.top_k=2"},
	"sampling.top_p":          {"magrpo-tiny", "sampling.top_p=0.5"},
	"sampling.min_tokens":     {"magrpo-tiny", "sampling.min_tokens=2"},
	"policies.targets":        {"magrpo-tiny", "policies.targets=[q_proj]"},
	"policies.full":           {"magrpo-tiny", "policies.full=true"},
	"policies.alpha":          {"magrpo-tiny", "policies.alpha=16"},
	"optimizer.weight_decay":  {"magrpo-tiny", "optimizer.weight_decay=0.01"},
	"optimizer.clip_norm":     {"magrpo-tiny", "optimizer.clip_norm=1"},
	"reward.source":           {"maporl-e1", "reward.source=trained"},
	"critic.init":             {"maac-tiny"},
	"critic.hidden":           {"maac-tiny", "critic.hidden=4"},
	"critic.head":             {"iac-tiny", "critic.head=shared"},
	"ppo.kl_form":             {"debate-sums", "ppo.kl_form=ref_policy_exact"},
	"algorithm":               {"collab-tiny"},
	"training.role_gradients": {"magrpo-tiny", "policies.sharing=shared", "training.role_gradients=1"},
	"eval.temperature":        {"magrpo-tiny", "eval.temperature=0.5"},
	"sampler.openai":          {"magrpo-tiny", "sampler.openai.url=http://127.0.0.1:2/v1"},
}

// TestRefusedKeys: what is refused says its key, and what the recipes of the table ask for otherwise is not in the way.
func TestRefusedKeys(t *testing.T) {
	averages := probe.Profile{Mean: true, Leaks: true, Targets: true, Alpha: 32, Loads: true}
	for key, what := range onServers {
		own, has := refusals[key]
		if section := slices.Contains([]string{"collab", "distil", "fuse"}, key); what == refused != (has || section) {
			t.Errorf("%s is %s, and has a recipe that it is refused in: %v", key, what, has)
		}
		if !has {
			continue
		}
		usual := slices.DeleteFunc(slices.Clone(fits), func(set string) bool { // what it sets itself
			name, _, _ := strings.Cut(set, "=")
			return slices.ContainsFunc(own[1:], func(s string) bool { return strings.HasPrefix(s, name+"=") })
		})
		r, err := language.New().Load(own[0], slices.Concat([]string{"engine.tinker.url=http://127.0.0.1:1"}, bearable(own, usual), own[1:]))
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		all := cluster.Mismatches(r, averages)
		if !slices.ContainsFunc(all, func(line string) bool {
			return strings.Contains(line, key+" is ") || strings.Contains(line, "write "+key+":")
		}) {
			t.Errorf("%s is not refused: %q", key, all)
		}
	}
}

// bearable are the changes that a shipped recipe takes: some mean nothing in it.
func bearable(own, sets []string) (out []string) {
	for _, set := range sets {
		if _, err := language.New().Load(own[0], slices.Concat([]string{"engine.tinker.url=http://127.0.0.1:1", set}, own[1:])); err == nil {
			out = append(out, set)
		}
	}
	return out
}
