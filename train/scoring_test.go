package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rollout"
	"parley/runs"
	"parley/task"
	"parley/verifier"
)

// A clerk is a verifier that fails on what it is told to, and counts its batches.
type clerk struct {
	fails   string
	err     error
	batches []int
}

func (c *clerk) Score(_ context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	c.batches = append(c.batches, len(answers))
	scores := make([]verifier.Score, len(answers))
	for i, a := range answers {
		scores[i] = verifier.Checked(0.25)
		if a.Shown == c.fails {
			scores[i] = verifier.Failed("no idea")
		}
	}
	return scores, c.err
}

// turn is one turn of some problems, two agents each, with these answers.
func turn(answers ...[2]string) []rollout.ScoreItem {
	var out []rollout.ScoreItem
	for i, pair := range answers {
		n := &rollout.Node{Joint: [][]int{{0, 0}}}
		for agent, text := range pair {
			n.Agents = append(n.Agents, rollout.AgentTurn{Agent: agent, Completions: []rollout.Completion{{Text: text, Score: 1}}})
		}
		out = append(out, rollout.ScoreItem{Problem: task.Problem{ID: fmt.Sprint(i)}, Node: n})
	}
	return out
}

// TestScoresComeInBatches: one batch a turn and verifier, whatever the number of problems; an answer without a score fails its
// node and no other.
func TestScoresComeInBatches(t *testing.T) {
	shared, first, second := &clerk{fails: "c"}, &clerk{}, &clerk{}
	for _, c := range []struct {
		scorers []scorer
		want    map[*clerk]int
	}{{[]scorer{shared, shared}, map[*clerk]int{shared: 6}}, {[]scorer{first, second}, map[*clerk]int{first: 3, second: 3}}} {
		j := &judge{recipe: new(recipe.Recipe), scorers: c.scorers}
		nodes := turn([2]string{"a", "b"}, [2]string{"c", "d"}, [2]string{"e", "f"})
		if err := j.scoreAnswers(t.Context(), nodes); err != nil {
			t.Fatal(err)
		}
		for clerk, n := range c.want {
			if len(clerk.batches) != 1 || clerk.batches[0] != n {
				t.Errorf("batches %v, want one of %d", clerk.batches, n)
			}
		}
		for i, judged := range nodes {
			failed := c.scorers[0] == scorer(shared) && i == 1
			if (judged.Node.Failed != "") != failed {
				t.Errorf("node %d: failed %q", i, judged.Node.Failed)
			}
			if score := judged.Node.Agents[1].Completions[0].Score; score != 0.25 {
				t.Errorf("node %d: score %v", i, score)
			}
		}
		if c.scorers[0] == scorer(shared) && nodes[1].Node.Agents[0].Completions[0].Score != 0 {
			t.Error("an answer without a score kept one")
		}
	}
}

// TestVerifierWithoutNumbers: a verifier whose numbers are not finite fails its answers; any other error is the run's.
func TestVerifierWithoutNumbers(t *testing.T) {
	nodes := turn([2]string{"a", "b"})
	j := &judge{recipe: new(recipe.Recipe), scorers: []scorer{&clerk{err: fmt.Errorf("forward: %w", engine.ErrNotFinite)}}}
	j.scorers = append(j.scorers, j.scorers[0])
	if err := j.scoreAnswers(t.Context(), nodes); err != nil || nodes[0].Node.Failed == "" {
		t.Errorf("%v, failed %q", err, nodes[0].Node.Failed)
	}
	j.scorers = []scorer{&clerk{err: context.Canceled}, &clerk{}}
	if err := j.scoreAnswers(t.Context(), turn([2]string{"a", "b"})); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestInferenceAsksForWhatItShows: where prompts quote no scores, measuring needs no verifier.
func TestInferenceAsksForWhatItShows(t *testing.T) {
	c := &clerk{}
	j := &judge{recipe: new(recipe.Recipe), scorers: []scorer{c, c}, inference: true}
	j.recipe.Team.Turns = 2
	for _, feedback := range []bool{false, true} {
		j.recipe.Team.RewardFeedback = feedback
		for at := range 2 {
			nodes := turn([2]string{"a", "b"})
			nodes[0].Node.Turn, c.batches = at, nil
			if err := j.scoreAnswers(t.Context(), nodes); err != nil || (len(c.batches) > 0) != (feedback && at == 0) {
				t.Errorf("feedback %v, turn %d: %d batches, %v", feedback, at+1, len(c.batches), err)
			}
		}
	}
}

// moody is a server that fails on some questions and reports garbage on others.
func moody(t *testing.T, fails func(prompt string) bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if fails(string(body)) {
			io.WriteString(w, `{"choices":[{"message":{"content":"NaN"}}]}`)
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"yes"}}]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func served(t *testing.T, url string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Load("debate-sums", append([]string{"reward.source=server", "reward.scoring.url=" + url, "reward.scoring.model=m", "reward.scoring.retries=0",
		"training.updates=1", "training.problems=16", "eval.problems=2", "eval.baselines=[]", "ppo.minibatches=1"}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFailedScoresAreFailedEpisodes: a run goes on with the problems that were scored, counts the others, and records why.
func TestFailedScoresAreFailedEpisodes(t *testing.T) {
	r := served(t, moody(t, func(prompt string) bool { return strings.Contains(prompt, "How many") && len(prompt)%3 == 0 }))
	result, err := Run(t.Context(), Options{Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, e := range recordedEpisodes(t, result.Dir, 1) {
		if e.Failed() != "" {
			failed++
		}
		for _, n := range e.Nodes {
			if (n.Failed == "") != (len(n.Rewards) == 1) {
				t.Errorf("node with %d rewards failed with %q", len(n.Rewards), n.Failed)
			}
		}
	}
	var m Metrics
	err = runs.ReadLines(result.Dir, "metrics.jsonl", func(line []byte) error { return json.Unmarshal(line, &m) })
	if err != nil || failed == 0 || failed == 16 || m.Failed != failed || m.Problems != 16-failed {
		t.Errorf("%d episodes failed, %v; metrics say %d of %d", failed, err, m.Failed, m.Problems+m.Failed)
	}
}

// TestAVerifierThatIsGone: an update without a score ends the run with the reason; the run can be resumed.
func TestAVerifierThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Run(t.Context(), Options{Recipe: served(t, moody(t, func(string) bool { return true })), Dir: dir, MaxUpdates: -1})
	if err == nil || !strings.Contains(err.Error(), "none of its 16 problems could be scored") || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("%v", err)
	}
	shows := served(t, moody(t, func(string) bool { return true }), "team.reward_feedback=true")
	_, err = Run(t.Context(), Options{Recipe: shows, Dir: dir + "2", MaxUpdates: -1})
	if err == nil || !strings.Contains(err.Error(), "later prompts show scores") {
		t.Errorf("%v", err)
	}
}
