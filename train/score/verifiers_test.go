package score

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/rl/verifier"
	"parley/task"
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
		verifiers []Verifier
		want      map[*clerk]int
	}{{[]Verifier{shared, shared}, map[*clerk]int{shared: 6}}, {[]Verifier{first, second}, map[*clerk]int{first: 3, second: 3}}} {
		s := &Scorer{recipe: new(recipe.Recipe), verifiers: c.verifiers}
		nodes := turn([2]string{"a", "b"}, [2]string{"c", "d"}, [2]string{"e", "f"})
		if err := s.scoreAnswers(t.Context(), nodes); err != nil {
			t.Fatal(err)
		}
		for clerk, n := range c.want {
			if len(clerk.batches) != 1 || clerk.batches[0] != n {
				t.Errorf("batches %v, want one of %d", clerk.batches, n)
			}
		}
		for i, judged := range nodes {
			failed := c.verifiers[0] == Verifier(shared) && i == 1
			if (judged.Node.Failed != "") != failed {
				t.Errorf("node %d: failed %q", i, judged.Node.Failed)
			}
			if score := judged.Node.Agents[1].Completions[0].Score; score != 0.25 {
				t.Errorf("node %d: score %v", i, score)
			}
		}
		if c.verifiers[0] == Verifier(shared) && nodes[1].Node.Agents[0].Completions[0].Score != 0 {
			t.Error("an answer without a score kept one")
		}
	}
}

// TestVerifierWithoutNumbers: a verifier whose numbers are not finite fails its answers; any other error is the run's.
func TestVerifierWithoutNumbers(t *testing.T) {
	nodes := turn([2]string{"a", "b"})
	s := &Scorer{recipe: new(recipe.Recipe), verifiers: []Verifier{&clerk{err: fmt.Errorf("forward: %w", engine.ErrNotFinite)}}}
	s.verifiers = append(s.verifiers, s.verifiers[0])
	if err := s.scoreAnswers(t.Context(), nodes); err != nil || nodes[0].Node.Failed == "" {
		t.Errorf("%v, failed %q", err, nodes[0].Node.Failed)
	}
	s.verifiers = []Verifier{&clerk{err: context.Canceled}, &clerk{}}
	if err := s.scoreAnswers(t.Context(), turn([2]string{"a", "b"})); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestInferenceAsksForWhatItShows: where prompts quote no scores, measuring needs no verifier.
func TestInferenceAsksForWhatItShows(t *testing.T) {
	c := &clerk{}
	s := &Scorer{recipe: new(recipe.Recipe), verifiers: []Verifier{c, c}, inference: true}
	s.recipe.Team.Turns = 2
	for _, feedback := range []bool{false, true} {
		s.recipe.Team.RewardFeedback = feedback
		for at := range 2 {
			nodes := turn([2]string{"a", "b"})
			nodes[0].Node.Turn, c.batches = at, nil
			if err := s.scoreAnswers(t.Context(), nodes); err != nil || (len(c.batches) > 0) != (feedback && at == 0) {
				t.Errorf("feedback %v, turn %d: %d batches, %v", feedback, at+1, len(c.batches), err)
			}
		}
	}
}
