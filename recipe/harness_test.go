package recipe_test

import (
	"strings"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

const ownHarness = `
name: own-harness
task: {name: data, path: shelf.jsonl, match: number}
team:
  protocol: harness
  agents: {writer: {}, editor: {sampling: {max_tokens: 32}}}
  harness: {python: team.py}
policies: {sharing: per-agent}
algorithm: magrpo
group: {size: 4}
`

// TestHarness: what goes with a team in a program, and what is refused with it, each by its own words.
func TestHarness(t *testing.T) {
	const python = "team.harness.python="
	for _, c := range []struct {
		sets []string
		want string // in the error; empty: it is fine
	}{
		{nil, ""},
		{[]string{python, `team.harness.command=[python3, solve.py, "{{.Question}}"]`}, ""},
		{[]string{python, "team.harness.command=[./solve]", "team.harness.keep=true"}, ""},
		{[]string{python, "team.harness.url=http://127.0.0.1:9000/episode", "team.harness.key_env=MY_KEY"}, ""},
		{[]string{"team.harness.models={gpt-4o: writer, gpt-4.1: editor}"}, ""},
		{[]string{"reward.source=harness", "reward.user.min=-1", "reward.user.max=2"}, ""},
		{[]string{"algorithm=mareinforce"}, ""},
		{[]string{"algorithm=marloo"}, ""},
		{[]string{"algorithm=maremax"}, ""},
		{[]string{"algorithm=none"}, ""},
		{[]string{"policies.sharing=shared"}, ""},
		{[]string{"group.without=writer"}, ""},
		{[]string{"group.without=writer", "credit.rule=ccpo"}, ""},
		{[]string{"credit.rule=drmas"}, ""},
		{[]string{"credit.rule=mgrpo"}, ""},
		{[]string{"credit.rule=rae"}, ""},
		{[]string{"credit.baseline=agent_turn"}, ""},
		{[]string{"credit.calls=sample", "credit.baseline=agent"}, ""},
		{[]string{"opponents.share=0.5"}, ""},
		{[]string{"eval.baselines=[off-the-shelf-double, single, majority-vote]"}, ""},
		{[]string{"eval.pass_at=[2]"}, ""},

		{[]string{python}, "team.harness has none of python, command and url"},
		{[]string{"team.harness.command=[./solve]"}, "team.harness has python and command, expected one"},
		{[]string{python, `team.harness.command=[./solve, "{{.Question}}"]`, "team.harness.keep=true"}, "with keep the program is started once"},
		{[]string{python, "team.harness.url=localhost"}, `team.harness.url is "localhost", expected an http address`},
		{[]string{"team.harness.address=localhost"}, `team.harness.address is "localhost", expected an http address`},
		{[]string{"team.harness.address=http://me:secret@host:1"}, `expected an http address without user, query and fragment`},
		{[]string{"team.harness.address=http://host:1/?a=b"}, `expected an http address without user, query and fragment`},
		{[]string{"team.harness.address=http://host:1/#a"}, `expected an http address without user, query and fragment`},
		{[]string{"team.harness.models={writer: editor}"}, "team.harness.models has writer, which is the name of an agent"},
		{[]string{"team.harness.models={gpt-4o: critic}"}, "gpt-4o is critic, which is no agent"},
		{[]string{"team.harness.parallel=1025"}, "team.harness.parallel is 1025"},
		{[]string{"team.harness.seconds=0"}, "team.harness.seconds is 0"},
		{[]string{"team.harness.calls=0"}, "team.harness.calls is 0"},
		{[]string{"team.harness.calls=300"}, "one item implies 1200 generations"},
		{[]string{"team.harness.keep=true"}, "team.harness.keep has no effect with no team.harness.command"},
		{[]string{"team.harness.key_env=KEY"}, "team.harness.key_env has no effect with no team.harness.url"},
		{[]string{"team.protocol=debate"}, "team.harness.python has no effect with team.protocol debate"},
		{[]string{"team.protocol=debate", python, "reward.source=harness"}, "reward.source is harness, but team.protocol is debate"},

		{[]string{"team.turns=3"}, "team.turns is 3, but the program of the team decides how often it asks"},
		{[]string{"team.answer=editor"}, "team.answer has no effect with team.protocol harness"},
		{[]string{`team.workflow=[{ask: writer, prompt: "{{.Question}}"}]`}, "team.workflow has no effect with team.protocol harness"},
		{[]string{"team.program=next.star"}, "team.program has no effect with team.protocol harness"},
		{[]string{"team.prompts.first=Say it."}, "team.prompts.first has no effect with team.protocol harness"},
		{[]string{"team.tools.use=[calculator]"}, "team.tools.use has no effect with team.protocol harness"},
		{[]string{"team.fields={solution: [editor]}"}, "team.fields has no effect with team.protocol harness"},
		{[]string{"team.cast=drawn", "algorithm=none"}, "team.cast has no effect with team.protocol harness"},
		{[]string{"team.proposals.each=2"}, "team.proposals.each has no effect with team.protocol harness"},
		{[]string{"team.feedback=self"}, "team.feedback has no effect with team.protocol harness"},
		{[]string{"team.consensus.share=0.5"}, "team.consensus.share has no effect with team.protocol harness"},
		{[]string{"truncate=left"}, "truncate has no effect with team.protocol harness"},
		{[]string{"team.agents.writer.role=Be strict."}, "team.agents.writer.role has no effect with team.protocol harness"},
		{[]string{"team.agents.writer.system=Be strict."}, "team.agents.writer.system has no effect with team.protocol harness"},
		{[]string{"team.agents.writer.tools=[calculator]"}, "team.agents.writer.tools has no effect with team.protocol harness"},
		{[]string{"policies.sharing=per-turn"}, "policies.sharing is per-turn, but with team.protocol harness each call"},
		{[]string{"policies.first_trained_turn=2"}, "policies.first_trained_turn is 2, but each call"},
		{[]string{"reward.source=preferences"}, "reward.source is preferences, which compares joint responses"},
		{[]string{"eval.baselines=[single]", "reward.source=harness"}, "eval.baselines names single, but the program of the team alone"},
		{[]string{"eval.ablations=[untrained]"}, "eval.passes and eval.ablations compare votes"},
		{[]string{"eval.passes=2"}, "eval.passes and eval.ablations compare votes"},
		{[]string{"eval.pass_at=[2]", "reward.source=harness"}, "need to know what is solved"},
		{[]string{"eval.baselines=[trained-single]"}, "eval.baselines names trained-single, which is a team of another protocol"},

		{[]string{"group.rollout=tree", "credit.returns=to_go"}, "group.rollout is tree, which goes on from one state in several ways"},
		{[]string{"group.rollout=chain", "credit.returns=to_go"}, "group.rollout is chain, which goes on from one state in several ways"},
		{[]string{"algorithm=atgrpo"}, "algorithm is atgrpo, which tries other messages in one place"},
		{[]string{"algorithm=c3"}, "algorithm is c3, which tries other messages in one place"},
		{[]string{"algorithm=c3", "group.replay=[4, 2]"}, "group.replay goes on from an earlier message"},
		{[]string{"algorithm=mappo"}, ""},
		{[]string{"algorithm=iac"}, ""},
		{[]string{"algorithm=maac"}, ""},
		{[]string{"algorithm=madpo"}, "algorithm is madpo, which does not learn from whole episodes"},
		{[]string{"algorithm=sft"}, "algorithm is sft, which does not learn from whole episodes"},
		{[]string{"credit.baseline=vote"}, "credit.baseline is vote, but the program of the team votes"},
		{[]string{"credit.influence.alpha=0.1"}, "credit.influence is of a message on what follows it"},
		{[]string{"credit.rule=drmamr"}, "credit.influence is of a message on what follows it"},
	} {
		_, err := lang.Parse("own.yaml", []byte(ownHarness), c.sets)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.sets, err, c.want)
		}
	}
}

// TestHarnessDefaults: a recipe of a program begins with whole episodes, whose messages all return what the episode earned, unless it says otherwise; its
// print says the same.
func TestHarnessDefaults(t *testing.T) {
	for _, c := range []struct {
		sets             []string
		rollout, returns string
		discount         float64
	}{
		{nil, "episodes", "episode", 1},
		{[]string{"credit.returns=to_go"}, "episodes", "to_go", 1},
		{[]string{"group.discount=0.9"}, "episodes", "episode", 0.9},
		{[]string{"algorithm=none"}, "episodes", "episode", 1},
		{[]string{"credit.rule=drmas"}, "episodes", "episode", 1},
		{[]string{"credit.rule=mgrpo"}, "episodes", "to_go", 1},
	} {
		r, err := lang.Parse("own.yaml", []byte(ownHarness), c.sets)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			g, credit := recipe.Section[learn.Group](r), recipe.Section[words.Credit](r)
			if g.Rollout != c.rollout || credit.Returns != c.returns || g.Gamma() != c.discount || r.Team.Turns != 64 {
				t.Errorf("%v: rollout %s, returns %s, discount %g, %d turns", c.sets, g.Rollout, credit.Returns, g.Gamma(), r.Team.Turns)
			}
			if r, err = lang.Parse("own.yaml", r.ApplyingYAML(), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := lang.Parse("own.yaml", []byte(ownHarness), []string{"team.protocol=debate", "team.harness.python="})
	if g := recipe.Section[learn.Group](r); err != nil || g.Rollout != "tree" {
		t.Errorf("a debate begins with %s, %v", g.Rollout, err)
	}
	size, err := r.Size()
	if err != nil || size.Nodes == 64 {
		t.Errorf("%+v, %v", size, err)
	}
}

// TestHarnessReach: what a recipe of a program does beyond its run's folder needs trust elsewhere.
func TestHarnessReach(t *testing.T) {
	for set, want := range map[string]string{
		"python=team.py":              "team.harness.python",
		"command=[python3, solve.py]": "team.harness.command",
		"url=http://127.0.0.1:9000":   "team.harness.url",
	} {
		sets := []string{"team.harness." + set}
		if !strings.HasPrefix(set, "python") {
			sets = append(sets, "team.harness.python=")
		}
		r, err := lang.Parse("own.yaml", []byte(ownHarness), sets)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, named := range r.Reach() {
			found = found || named.Key == want
		}
		if !found {
			t.Errorf("%s: %+v", set, r.Reach())
		}
	}
}
