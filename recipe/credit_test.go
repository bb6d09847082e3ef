package recipe_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// TestCreditWords: words of credit that mean nothing together are refused by name, and those that run and are probably not meant are warned of.
func TestCreditWords(t *testing.T) {
	for _, c := range []struct {
		recipe string
		sets   []string
		want   string // in the error
	}{
		{"chain-tiny", []string{"credit.baseline=node"}, "whole episodes share none"},
		{"chain-tiny", []string{"group.rollout=tree", "credit.baseline=agent"}, "credit.baseline is agent, but group.rollout is tree"},
		{"chain-tiny", []string{"group.rollout=tree", "credit.returns=episode"}, "credit.returns is for rollout episodes"},
		{"chain-tiny", []string{"group.rollout=tree", "loss.per=episodes"}, "loss.per is episodes, but group.rollout is tree"},
		{"chain-tiny", []string{"loss.per=episodes", "group.reduction=token_mean"}, "takes tokens for units"},
		{"chain-tiny", []string{"loss.per=turns", "group.buffer=4"}, "buffers hold parts of episodes"},
		{"chain-tiny", []string{"group.normalize=true", "credit.baseline=agent"}, "credit says how advantages are divided"},
		{"chain-tiny", []string{"credit.replace=true", "credit.baseline=agent"}, "expected false with credit.baseline agent"},
		{"chain-tiny", []string{"credit.calls=weight"}, "credit.calls is weight, expected each"},
		{"drmas-tiny", []string{"credit.calls=weight"}, "neither std sample nor loo"},
		{"chain-tiny", []string{"group.size=1"}, "group.size is 1, expected at least 2"},
		{"rae-tiny", []string{"credit.std=sample"}, "it has neither std nor loo"},
		{"rae-tiny", []string{"group.kl=0.1"}, "its averages are of rewards"},
		{"chain-tiny", []string{"group.rollout=chain", "algorithm=marloo"}, "expected tree or episodes with algorithm marloo"},
		{"chain-tiny", []string{"group.rollout=atgrpo"}, `group.rollout is "atgrpo", expected one of tree, chain, episodes; write algorithm: atgrpo`},
		{"chain-tiny", []string{"group.rollout=c3"}, `group.rollout is "c3", expected one of tree, chain, episodes; write algorithm: c3`},
		{"chain-tiny", []string{"credit.rule=atgrpo"}, "write algorithm: atgrpo, with credit: {std: sample, divide: add}"},
		{"chain-tiny", []string{"credit.rule=c3"}, "write algorithm: c3, with group: {fanout: [4, 2]}"},
		{"chain-tiny", []string{"credit.rule=drmas", "algorithm=c3"}, "credit.rule is drmas, which is a rule of algorithm magrpo, but algorithm is c3"},
		{"chain-tiny", []string{"algorithm=c3", "group.rollout=chain"}, "group.rollout has no effect with algorithm c3"},
		{"chain-tiny", []string{"algorithm=atgrpo", "credit.baseline=agent"}, "credit.baseline is agent, but algorithm is atgrpo: its episodes are compared node by node"},
		{"atgrpo-tiny", []string{"credit.loo=message"}, "credit.loo has no effect with algorithm atgrpo"},
		{"c3-tiny", []string{"credit.std=sample"}, "credit.std has no effect with algorithm c3"},
		{"c3-tiny", []string{"loss.per=episodes"}, "loss.per has no effect with algorithm c3"},
		{"c3-tiny", []string{"group.fanout=[1]"}, "one alternative of every message"},
		{"c3-tiny", []string{"group.replay=[4, 2]"}, "group.replay has alternatives of one message, and group.fanout of all"},
		{"c3-tiny", []string{"group.fanout=[]", "group.replay=[4]"}, "expected two numbers"},
		{"c3-tiny", []string{"group.fanout=[]", "group.replay=[1, 2]"}, "of at least 2 alternatives"},
		{"c3-tiny", []string{"group.fanout=[]", "group.replay=[4, 2]", "group.replay_turn=3"}, "group.replay_turn is 3, expected at most 2"},
		{"c3-tiny", []string{"group.replay_turn=1"}, "group.replay_turn has no effect with group.replay []"},
		{"chain-tiny", []string{"group.siblings=role"}, "group.siblings has no effect"},
		{"c3-tiny", []string{"group.joint=cross"}, "group.joint has no effect with algorithm c3"},
		{"chain-tiny", []string{"group.fanout=[2]"}, "group.fanout has no effect"},
		{"chain-tiny", []string{"algorithm=marloo", "credit.std=sample"}, "credit.std has no effect with algorithm marloo"},
		{"chain-tiny", []string{"credit.baseline=vote"}, "the team does not vote"},
		{"vote-tiny", []string{"credit.std=sample"}, "it has neither std nor loo"},
		{"vote-tiny", []string{"group.kl=0.1"}, "nor group.kl"},
		{"ccpo-tiny", []string{"group.without=critic"}, "group.without is critic, expected one of several agents"},
		{"ccpo-tiny", []string{"algorithm=c3"}, "is for rollout episodes, but algorithm is c3"},
		{"ccpo-tiny", []string{"team.answer=every-turn"}, "needs a workflow whose team gives one answer"},
		{"rae-tiny", []string{"group.without=first"}, "needs a workflow whose team gives one answer, and no environment"},
		{"chain-tiny", []string{"credit.solo.lambda=0.2"}, "group.without names none"},
		{"chain-tiny", []string{"group.without=critic", "credit.solo.bonus=delta"}, "credit.solo.bonus has no effect with credit.solo.lambda 0"},
		{"c3-tiny", []string{"credit.influence.alpha=0.1"}, "credit.influence.alpha has no effect with algorithm c3"},
		{"single-tiny", []string{"group.rollout=episodes", "credit.influence.alpha=0.1"}, "the team has one turn"},
		{"chain-tiny", []string{"credit.influence.beta=0.1"}, "credit.influence.beta is 0.1, but no text restarts"},
		{"chain-tiny", []string{"credit.influence.alike=0.5"}, "credit.influence.alike has no effect with credit.influence.alpha 0"},
		{"ccpo-tiny", []string{"credit.returns=episode"}, "credit.returns has no effect with credit.solo.outcome sign"},
	} {
		if _, err := lang.Load(c.recipe, c.sets); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.recipe, c.sets, err, c.want)
		}
	}
	for _, c := range []struct {
		recipe string
		sets   []string
		want   string // in a warning; empty: there is none
	}{
		{"drmas-tiny", nil, ""},
		{"drmas-tiny", []string{"credit.single=raw"}, "credit.single raw"},
		{"rae-tiny", []string{"group.size=1"}, ""},
		{"drmas-tiny", []string{"group.size=2"}, "advantages of one size"},
		{"chain-tiny", []string{"loss.per=turns"}, "favors short episodes"},
		{"chain-tiny", []string{"loss.per=turns", "credit.baseline=agent_turn"}, ""},
		{"chain-tiny", []string{"credit.failed=keep"}, "credit.failed keep"},
		{"rae-tiny", []string{"credit.rae.order=after"}, "credit.rae.order after"},
		{"ccpo-tiny", nil, ""},
		{"leader-tiny", []string{"algorithm=c3", "group.rollout=tree", "group.size=2"}, ""},
		{"vote-tiny", []string{"group.size=1"}, ""},
		{"ccpo-tiny", []string{"credit.solo.lambda=0.2"}, "only makes the steps of the agent 1 + lambda/2 times as long"},
		{"ccpo-tiny", []string{"credit.solo.lambda=0.2", "credit.solo.baseline=paired"}, ""},
		{"c3-tiny", []string{"group.siblings=role"}, "compares messages behind different transcripts"},
		{"c3-tiny", []string{"group.normalize=true"}, "makes leave-one-out and the mean of all siblings the same"},
	} {
		r, err := lang.Load(c.recipe, c.sets)
		if err != nil {
			t.Fatal(err)
		}
		about := func(w string) bool { return strings.Contains(w, "credit") || strings.Contains(w, "loss.") }
		if found := slices.ContainsFunc(r.Warnings(), func(w string) bool { return c.want != "" && strings.Contains(w, c.want) || c.want == "" && about(w) }); found != (c.want != "") {
			t.Errorf("%s %v: warnings %q, want %q", c.recipe, c.sets, r.Warnings(), c.want)
		}
	}
}

// TestCreditPresets compares the shipped recipes of the field's rules with what those say, word by word: sections of a recipe without the rule's words are
// the defaults.
func TestCreditPresets(t *testing.T) {
	plain, err := lang.Load("review-tiny", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*words.Credit, *learn.Group, *words.Loss){
		"drmas-tiny": func(c *words.Credit, _ *learn.Group, _ *words.Loss) {
			c.Baseline, c.Returns, c.Std, c.Divide, c.Eps = "agent", "episode", "sample", "add", 1e-6
			c.Single = "zero" // published: raw, of which parley warns
		},
		"atgrpo-tiny": func(c *words.Credit, g *learn.Group, _ *words.Loss) {
			g.Rollout, g.Alpha, g.Pick, g.Discount = "tree", 1, "best", -1 // auto: what the turn paid is compared, undiscounted
			c.Std, c.Divide, c.Eps = "sample", "add", 1e-6
		},
		"c3-tiny": func(c *words.Credit, g *learn.Group, _ *words.Loss) {
			g.FanOut, g.Backup, g.Normalize, g.Siblings = []int{4, 2}, "children", false, "prompt"
			if got := c.Leave(learn.Alternatives); got != "message" {
				t.Errorf("c3 leaves out %q", got)
			}
		},
		"rae-tiny": func(c *words.Credit, g *learn.Group, _ *words.Loss) {
			nothing, all := 0., 1.
			g.Size, g.Discount = 8, 1
			c.Baseline, c.TeamWeight, c.OwnWeight, c.ZeroSum = "rae", &nothing, &all, true
			c.RAE = words.RoleBaselines{Decay: 0.95, Mode: "sequential", Order: "before", Key: "role", Warm: "zero"}
		},
		"ccpo-tiny": func(c *words.Credit, g *learn.Group, _ *words.Loss) {
			g.Size, g.Without = 8, "thinker"
			c.Baseline, c.Std, c.Alternate = "agent", "none", 10
			c.Solo = words.Solo{Outcome: "sign", Lambda: 0, Bonus: "event", Baseline: "group"}
		},
		"vote-tiny": func(c *words.Credit, _ *learn.Group, _ *words.Loss) { c.Baseline = "vote" },
		"mgrpo-tiny": func(c *words.Credit, _ *learn.Group, _ *words.Loss) {
			c.Baseline, c.Calls, c.Slots, c.Std = "agent", "weight", 0, "none"
		},
		"drmamr-tiny": func(_ *words.Credit, _ *learn.Group, l *words.Loss) { l.Per = "episodes" },
	} {
		r, err := lang.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, g, l := recipe.Section[words.Credit](plain), recipe.Section[learn.Group](plain), recipe.Section[words.Loss](plain)
		change(&c, &g, &l)
		if got := recipe.Section[words.Credit](r); !reflect.DeepEqual(got, c) {
			t.Errorf("%s: credit is %+v, want %+v", name, got, c)
		}
		if got := recipe.Section[learn.Group](r); !reflect.DeepEqual(got, g) {
			t.Errorf("%s: group is %+v, want %+v", name, got, g)
		}
		if got := recipe.Section[words.Loss](r); got != l {
			t.Errorf("%s: loss is %+v, want %+v", name, got, l)
		}
	}
}
