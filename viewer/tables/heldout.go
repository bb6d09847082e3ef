package tables

import (
	"errors"
	"fmt"
	"iter"

	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/store"
	"parley/viewer/episodes"
)

// answerColumns are those of the answers that systems gave to held-out problems. Its updates are those after which they were measured; of the system
// panel every time in training.
var answerColumns = []string{
	`"update" INTEGER`, "system TEXT", "number INTEGER", "problem TEXT", "question TEXT", "truth TEXT", "score REAL", "generated INTEGER", "pass INTEGER",
	"turn INTEGER", "agent INTEGER", "completion INTEGER", "name TEXT", "text TEXT", "answer TEXT", "correct INTEGER", "failed TEXT",
}

// heldOut reads the answers of systems after a range of updates. A file that is damaged gives what stands before the damage.
func (r reader) heldOut(from, to int) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		all, err := store.Answers(r.dir)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range all {
			if s.Update < from || s.Update > to {
				continue
			}
			name := store.AnswersFile(s.System, s.Update)
			err := runs.PackedLines(r.dir, name, func(line []byte) error {
				a, err := keep.ReadAnswer(line)
				if err == nil && !r.answered(s, a, func(row []any) bool { return yield(row, nil) }) {
					err = errEnough
				}
				return err
			})
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil {
				r.left.add([]string{fmt.Sprintf("%s: %v", name, err)})
			}
		}
	}
}

// answered makes a row of each text that was said about a problem.
func (r reader) answered(s store.Answered, a *keep.Answer, yield func([]any) bool) bool {
	var score any
	if a.Score != nil {
		score = *a.Score
	}
	return answers(&a.Episode, func(node int, t *rollout.AgentTurn, i int) bool {
		c := &t.Completions[i]
		var given, correct any
		if c.HasAnswer {
			given = c.Answer
		}
		if a.Problem.Truth != "" && episodes.Judged(t.Speaker, c.HasAnswer) {
			correct = c.Correct
		}
		return yield([]any{
			s.Update, s.System, a.Index, a.Problem.ID, a.Problem.Question, text(a.Problem.Truth), score, a.Tokens, a.Pass,
			a.Nodes[node].Turn, t.Agent + 1, i, r.team.Name(t.Agent), c.Text, given, correct, text(a.Failed()),
		})
	})
}
