package plan_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/train/plan"
)

// TestHarness: what a program gets of its recipe. Variables with secrets are kept from it, wherever the recipe names them.
func TestHarness(t *testing.T) {
	t.Setenv("MY_KEY", "secret")
	folder := t.TempDir()
	text := `
name: own
task: {name: data, path: shelf.jsonl, match: number}
team:
  protocol: harness
  agents:
    writer: {sampling: {stop: [END]}}
    editor: {reward: {team: 1, own: 1}}
    judge: {endpoint: {url: "http://127.0.0.1:1/v1", model: big, token_env: JUDGE_TOKEN}}
  harness: {url: "http://127.0.0.1:9000/episode", key_env: MY_KEY, calls: 8, seconds: 1.5, models: {gpt-4o: writer}}
policies: {sharing: per-agent}
sampling: {stop: [STOP]}
reward: {source: harness, user: {min: -1, max: 2}}
algorithm: magrpo
`
	read := func(sets ...string) *recipe.Recipe {
		r, err := language.New().Parse("own.yaml", []byte(text), sets)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	s, err := plan.Harness(read("team.harness.folder=" + folder))
	if err != nil {
		t.Fatal(err)
	}
	if s.Folder != folder || s.Key != "secret" || s.Calls != 8 || s.Time.Seconds() != 1.5 || s.Models["gpt-4o"] != "writer" || !s.Pays || s.Least != -1 || s.Most != 2 {
		t.Errorf("%+v", s)
	}
	if want := []bool{true, false, false}; !reflect.DeepEqual(s.TeamAlone, want) {
		t.Errorf("who learns from the team's reward alone: %v, want %v", s.TeamAlone, want)
	}
	for algorithm, alone := range map[string]bool{"mappo": true, "none": false} {
		s, err := plan.Harness(read("team.harness.folder="+folder, "algorithm="+algorithm, "team.agents={writer: {}, editor: {}}"))
		if err != nil || s.TeamAlone[0] != alone {
			t.Errorf("%s: %v, %v", algorithm, s.TeamAlone, err)
		}
	}
	if want := [][]string{{"END"}, {"STOP"}, {"STOP"}}; !reflect.DeepEqual(s.Stops, want) {
		t.Errorf("answers end at %v, want %v", s.Stops, want)
	}
	for _, name := range []string{"MY_KEY", "JUDGE_TOKEN"} {
		if !strings.Contains(strings.Join(s.Secrets, " "), name) {
			t.Errorf("%s is no secret: %v", name, s.Secrets)
		}
	}
	said := func(agent int) *rollout.Node {
		return &rollout.Node{Agents: []rollout.AgentTurn{{Agent: agent, Completions: make([]rollout.Completion, 1)}}}
	}
	played := []*rollout.Episode{{Nodes: []*rollout.Node{said(1), said(0)}}}
	for set, first := range map[string]int{"group.size=4": 0, "credit.returns=to_go": 1, "group.discount=0.9": 1, "credit.baseline=agent_turn": 1} {
		if got := plan.Learned(read(set), played)[0].Nodes[0].Agents[0].Agent; got != first {
			t.Errorf("%s: agent %d is the first that is learned from, want %d", set, got, first)
		}
	}
	if _, err := plan.Harness(read("team.harness.folder=" + filepath.Join(folder, "gone"))); err == nil || !strings.Contains(err.Error(), "--set team.harness.folder=FOLDER") {
		t.Errorf("a folder that is gone: %v", err)
	}
	if _, err := plan.Harness(read("team.harness.key_env=NO_SUCH_KEY")); err == nil || !strings.Contains(err.Error(), "NO_SUCH_KEY") {
		t.Errorf("a key that is not set: %v", err)
	}
}

// TestHarnessFolder: a program runs in the folder of its recipe, also when the recorded recipe is read elsewhere.
func TestHarnessFolder(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "own.yaml")
	if err := os.WriteFile(file, []byte("name: own\ntask: {name: data, path: shelf.jsonl, match: number}\nteam: {protocol: harness, harness: {python: src/team.py}}\npolicies: {sharing: per-agent}\nalgorithm: magrpo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := language.New().Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := language.New().Parse("run.json", r.YAML(), nil)
	if err != nil || again.Team.Harness.Folder != folder || again.Team.Harness.Python != filepath.Join(folder, "src", "team.py") {
		t.Errorf("%+v, %v", again.Team.Harness, err)
	}
}
