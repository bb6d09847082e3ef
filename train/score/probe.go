package score

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/task"
	"parley/task/user"
)

// tracebackLines is how much of a user's traceback a refusal shows: its last lines say what was wrong, and where.
const tracebackLines = 6

// Probe asks the user's own reward about a problem once for every number of responses that the run will give it, before anything is
// trained: a reward that cannot take one of them would fail hours later. The error is a [*usererror.Error]. Rewards that are not the
// user's are not asked.
func (s *Scorer) Probe(ctx context.Context, p task.Problem, counts []int) error {
	if s.user == nil {
		return nil
	}
	item, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("problem %s: %w", p.ID, err)
	}
	for _, n := range counts {
		failed, err := s.probe(ctx, item, p, n)
		if err != nil {
			return err
		}
		if failed != nil {
			return usererror.Errorf("reward.user fails on training problem %s with %s, before any training:\n%s\n%s",
				p.ID, responsesOf(n), lastLines(failed.Error(), tracebackLines), s.remedy(n))
		}
	}
	return nil
}

// probe asks with placeholders of two kinds: a reward may refuse a text that is no answer at all. It returns why the first failed where both
// do.
func (s *Scorer) probe(ctx context.Context, item json.RawMessage, p task.Problem, n int) (failed, err error) {
	for _, text := range []string{"This is a placeholder for an answer.", `\boxed{` + p.Right() + `}`} {
		verdicts, err := s.user.Score(ctx, []user.Call{{Item: item, Responses: slices.Repeat([]string{text}, n)}})
		if err != nil {
			return nil, err
		}
		v := verdicts[0]
		if names := s.recipe.Team.Agents.Names(); v.Err == nil && n == len(names) {
			v.Err = named(names, &v.Score, v.Own)
		}
		if v.Err == nil {
			return nil, nil
		}
		if failed == nil {
			failed = v.Err
		}
	}
	return failed, nil
}

// remedy says what to change where a reward cannot take so many responses.
func (s *Scorer) remedy(n int) string {
	if n == 1 && s.recipe.Team.Agents.N > 1 {
		return "A single agent gives one response: let the reward take one too (len(responses)), or leave single agents out of eval.baselines, eval.without_history and task.filter."
	}
	return "Try it from the shell: parley reward FILE"
}

func responsesOf(n int) string {
	if n == 1 {
		return "1 response"
	}
	return fmt.Sprintf("%d responses", n)
}

// lastLines keeps the end of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
