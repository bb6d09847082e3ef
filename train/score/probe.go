package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/internal/usererror"
	"parley/task"
	"parley/task/user"
	"parley/team"
	"parley/train/plan"
)

// tracebackLines is how much of a user's traceback a refusal shows: its last lines say what was wrong, and where.
const tracebackLines = 6

// Probe asks the user's own reward about problems once in every form in which the run will ask it ([plan.RewardCalls]), before anything is
// trained: a reward that cannot take one of them would fail hours later. The error is a [*usererror.Error]. Rewards that are not the
// user's are not asked.
func (s *Scorer) Probe(ctx context.Context, problems ...task.Problem) error {
	if s.user == nil {
		return nil
	}
	calls, err := plan.RewardCalls(s.recipe)
	if err != nil {
		return &usererror.Error{Err: err}
	}
	for _, p := range problems {
		for _, c := range calls {
			failed, err := s.probe(ctx, p, c)
			if err != nil {
				return err
			}
			if failed != nil {
				return usererror.Errorf("reward.user fails on problem %s with %s, before any training:\n%s\n%s",
					p.ID, responsesOf(len(c.Tokens)), lastLines(failed.Error(), tracebackLines), s.remedy(c))
			}
		}
	}
	return nil
}

// probe asks with texts of three kinds: as long as they can be, and the right answer in a box and alone. A reward may refuse a text that is no
// answer at all; what it gives has to be in its range, whatever the text. It returns why the first failed where all do.
func (s *Scorer) probe(ctx context.Context, p task.Problem, c plan.RewardCall) (failed, err error) {
	item, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.ID, err)
	}
	agents := s.recipe.Team.Agents
	agents.N = c.Agents
	for _, text := range []func(tokens int) string{
		func(n int) string { return s.placeholder(p, n) },
		func(int) string { return `\boxed{` + p.Right() + `}` },
		func(int) string { return p.Truth },
	} {
		responses := make([]string, len(c.Tokens))
		for i, n := range c.Tokens {
			responses[i] = text(n)
		}
		calls := []user.Call{{Item: item, Responses: responses}}
		if s.user.Batched() {
			calls = append(calls, calls[0]) // a list of one shows no list that is too short
		}
		verdicts, err := s.user.Score(ctx, calls)
		if err != nil {
			return nil, err
		}
		v := verdicts[0]
		if v.Err == nil && !c.Alone {
			v.Err = user.Pay(agents.Names(), &v.Score, v.Own)
		}
		if v.Err == nil {
			return nil, nil
		}
		if failed == nil {
			failed = v.Err
		}
		if errors.As(v.Err, new(*user.OutOfRange)) {
			return v.Err, nil
		}
	}
	return failed, nil
}

// placeholder is a text about as long as so many tokens are in a chat about a problem.
func (s *Scorer) placeholder(p task.Problem, tokens int) string {
	const text = "This is a placeholder for an answer. "
	length := 4 * tokens // where no model says it
	if len(s.codecs) > 0 {
		codec := s.codecs[0]
		if prompt, err := codec.Prompt([]team.Message{{Role: team.User, Content: p.Question}}); err == nil && len(prompt) > 0 {
			length = max(1, tokens*len(codec.Text(prompt))/len(prompt))
		}
	}
	return strings.Repeat(text, 1+length/len(text))[:length]
}

// remedy says what to change where a reward cannot be asked so.
func (s *Scorer) remedy(c plan.RewardCall) string {
	if c.Alone && c.Agents > 1 {
		return "A single agent gives one response: let the reward take one too (len(responses)), or leave single agents out of eval.baselines, eval.without_history and task.filter."
	}
	if s.user.Batched() {
		return "It is called as reward(items, responses), with a list of dicts and a list of lists of texts, and returns a list with one answer for each"
	}
	return usererror.Word("Try it from the shell: parley reward RECIPE --in FILE", "It is called as reward(item, responses), with a dict and a list of texts")
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
