package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/model"
	"parley/rollout"
	"parley/runs"
	"parley/team"
	"parley/train"
)

// TestQuestionTokens: problems with long questions are left out of training, of the single agent's too, counted and said; a bound that
// leaves none is the recipe's mistake.
func TestQuestionTokens(t *testing.T) {
	const most = 40
	base, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	o := quick(t, "debate-sums", "task.max_question_tokens=40", "eval.baselines=[trained-single]", "training.updates=2", "training.problems=12")
	var notes []string
	o.Observe = func(e train.Event) { notes = append(notes, e.Message) }
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if agentTurn := strings.Join(notes, "\n"); !strings.Contains(agentTurn, "of 100 training problems have questions of more than 40 tokens and are left out") || strings.Contains(agentTurn, ": 0 of 100") {
		t.Errorf("notes %q", notes)
	}
	for _, dir := range []string{o.Dir, filepath.Join(o.Dir, "trained-single")} {
		for update := range 2 {
			err := runs.ReadEpisodes(dir, update+1, func(data []byte) error {
				var e rollout.Episode
				if err := json.Unmarshal(data, &e); err != nil {
					return err
				}
				tokens, err := base.Prompt([]team.Message{{Role: team.User, Content: e.Problem.Question}})
				if len(tokens) > most {
					t.Errorf("%s trains on %s of %d tokens", dir, e.Problem.ID, len(tokens))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var user *train.UserError
	if _, err := train.Run(context.Background(), quick(t, "debate-sums", "task.max_question_tokens=3")); !errors.As(err, &user) || !strings.Contains(err.Error(), "the shortest has") {
		t.Errorf("a bound that leaves nothing: %v", err)
	}
}

// A critic that reads answers with the first prompt, though they were given to a shorter one, reads what fits its context.
func TestCriticReadsWhatFits(t *testing.T) {
	o := quick(t, "debate-sums", "team.chat_memory.original=false", "team.chat_memory.previous=false", "team.prompts.later=Go on.",
		"sampling.max_tokens=600", "sampling.min_tokens=600", "training.updates=1", "training.problems=2", "eval.baselines=[]")
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Error(err)
	}
}
