package recipe_test

import (
	"strings"
	"testing"
)

const twoAgents = `name: x
task: {name: duet}
team:
  protocol: parallel
  agents: {writer: {}, checker: {adapter: {rank: 4}}}
algorithm: magrpo
policies: {sharing: per-agent}
`

// TestAgentsKeys: a change reaches what an agent has of its own, after --set and in a variant, and nothing else; a mistaken one names the agent or the
// key.
func TestAgentsKeys(t *testing.T) {
	r := parse(t, twoAgents, "team.agents.checker.adapter.rank=8", "team.agents.checker.sampling.temperature=0.5", "team.agents.writer.script=speak.star")
	writer, checker := r.Team.Agents.Named[0], r.Team.Agents.Named[1]
	if *checker.Adapter.Rank != 8 || *checker.Sampling.Temperature != 0.5 || writer.Script != "speak.star" || checker.Script != "" {
		t.Errorf("agents %+v", r.Team.Agents.Named)
	}
	roundTrip(t, r)
	several := parse(t, twoAgents+"experiment: {variants: {four: [], eight: [team.agents.checker.adapter.rank=8]}}\n")
	trials, err := several.Trials()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{4, 8} {
		if got := *trials[i].Recipe.Team.Agents.Named[1].Adapter.Rank; got != want {
			t.Errorf("%s: rank %d, want %d", trials[i].Variant, got, want)
		}
	}
	for set, want := range map[string]string{
		"team.agents.cheker.adapter.rank=8":  `team.agents has no "cheker"; did you mean "checker"?`,
		"team.agents.judge.adapter.rank=8":   `team.agents has no "judge"; it has writer, checker`,
		"team.agents.checker.adapter.rnak=8": `unknown key "adapter.rnak" in team.agents.checker; did you mean "adapter.rank"?`,
		"team.agents.checker.adapter.rank=0": "team.agents.checker.adapter.rank is 0, expected 1 to 1024",
		"team.agents.checker.adapter=8":      "team.agents.checker.adapter is a section, expected one of its keys: rank, alpha, targets",
		"team.agents.checker=8":              "team.agents.checker is a section, expected one of its keys: role, system",
	} {
		if _, err := lang.Parse("x.yaml", []byte(twoAgents), []string{set}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
	if _, err := lang.Parse("x.yaml", []byte("name: x\n"), []string{"team.agents.agent1.frozen=true"}); err == nil || !strings.Contains(err.Error(), "give them names in the recipe") {
		t.Errorf("agents without names: %v", err)
	}
}
