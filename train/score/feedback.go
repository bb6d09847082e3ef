package score

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/engine/openai"
	"parley/internal/tie"
	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/train/plan"
)

// openFeedback opens what writes the feedback that later turns are told.
func (s *Scorer) openFeedback(t task.Task, servers *openai.Pool) (err error) {
	mode := team.Mode(s.recipe.Team.Feedback)
	switch mode {
	case team.Plain, team.Self, team.FirstAgain, team.Binary, team.Score:
		return nil
	case team.Diagnostics, team.Expert:
		s.reporter, _ = t.(task.Reporter)
	default:
		if of, ok := t.(task.Reporters); ok {
			s.reporter = of.Reporter(string(mode))
		}
	}
	if s.reporter == nil {
		return usererror.Errorf("team.feedback is %s, but task %s has no such report on answers: write self, binary or first", mode, t.Name())
	}
	if mode == team.Expert {
		s.expert, err = openExpert(s.recipe.Team.Expert, servers)
	}
	return err
}

func openExpert(o keys.Expert, servers *openai.Pool) (*Expert, error) {
	key, err := plan.Secret("team.expert.key_env", o.KeyEnv)
	if err != nil {
		return nil, err
	}
	options := ExpertOptions{Model: o.Model, Recording: o.Recording}
	if o.URL != "" {
		options.Server = servers.Server(openai.Address{URL: o.URL, Key: key, Deadline: time.Duration(o.Seconds * float64(time.Second)), Retries: o.Retries})
	}
	e, err := OpenExpert(options)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	return e, nil
}

// reports says that agents are told about their answers of a turn.
func (s *Scorer) reports(turn int) bool {
	return team.Mode(s.recipe.Team.Feedback).Reports() && turn+1 < s.recipe.Team.Turns
}

// report is what every agent is told about the k-th joint action of a node (magrpo.md §9).
func (s *Scorer) report(ctx context.Context, t rollout.ScoreItem, k int) ([]string, error) {
	p, n := t.Problem, t.Node
	switch team.Mode(s.recipe.Team.Feedback) {
	case team.Binary:
		return s.verdict(n, k), nil
	case team.Score:
		return s.mark(n, k), nil
	}
	responses, _ := s.responses(t, n.Joint[k])
	reports, err := s.reporter.Report(ctx, p, responses, s.recipe.Team.SandboxSlice)
	if err == nil && s.expert != nil {
		reports, err = s.expert.Advise(ctx, p, responses, reports)
	}
	if err != nil {
		return nil, fmt.Errorf("report on problem %s: %w", p.ID, err)
	}
	return reports, nil
}

// verdict says whether a joint action was worth the greatest reward, or, where answers are compared with a truth, whether each is
// right.
func (s *Scorer) verdict(n *rollout.Node, k int) []string {
	least, most := s.Range()
	out := make([]string, len(n.Agents))
	for a := range out {
		good := n.Agents[a].Completions[n.Joint[k][a]].Correct
		what := "Your previous answer was"
		if n.Scored != nil {
			good = !tie.Above(most, n.Scored[k].Reward, most-least)
			what = "What your team answered was"
		}
		out[a] = what + map[bool]string{true: " good enough.", false: " not good enough."}[good]
	}
	return out
}

// mark says what a joint action earned, before it is processed.
func (s *Scorer) mark(n *rollout.Node, k int) []string {
	_, most := s.Range()
	return slices.Repeat([]string{fmt.Sprintf("What your team answered earned %.4g of at most %.4g.", n.Scored[k].Reward, most)}, len(n.Agents))
}
