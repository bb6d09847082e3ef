package train

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe"
	"parley/runs"
)

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
	r, err := lang.Load("debate-sums", append([]string{
		"reward.source=server", "reward.scoring.url=" + url, "reward.scoring.model=m", "reward.scoring.retries=0",
		"training.updates=1", "training.problems=16", "eval.problems=2", "eval.baselines=[]", "ppo.minibatches=1",
	}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFailedScoresAreFailedEpisodes: a run goes on with the problems that were scored, counts the others, and records why.
func TestFailedScoresAreFailedEpisodes(t *testing.T) {
	r := served(t, moody(t, func(prompt string) bool { return strings.Contains(prompt, "How many") && len(prompt)%3 == 0 }), "training.failed_share=1")
	result, err := Run(t.Context(), Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
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
	for turn, right := range m.AnswerAccuracy { // every answer that has a score has 1
		if len(m.Overpaid) != 2 || math.Abs(m.Overpaid[turn]-(1-right)) > 1e-12 {
			t.Errorf("overpaid by %v where %v of the answers are right", m.Overpaid, m.AnswerAccuracy)
		}
	}
}

// TestAVerifierThatIsGone: an update without a score ends the run with the reason; the run can be resumed.
func TestAVerifierThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Run(t.Context(), Options{Backend: native.Backend{}, Recipe: served(t, moody(t, func(string) bool { return true })), Dir: dir, MaxUpdates: -1})
	if err == nil || !strings.Contains(err.Error(), "none of its 16 problems could be scored") || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("%v", err)
	}
	shows := served(t, moody(t, func(string) bool { return true }), "team.reward_feedback=true")
	_, err = Run(t.Context(), Options{Backend: native.Backend{}, Recipe: shows, Dir: dir + "2", MaxUpdates: -1})
	if err == nil || !strings.Contains(err.Error(), "held-out problems could be scored") {
		t.Errorf("%v", err)
	}
}
