package train

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"parley/recipe"
	"parley/rollout"
	"parley/task"
	"parley/task/expert"
	"parley/team"
)

// openFeedback gives the judge who writes what later turns are told.
func (j *judge) openFeedback(t task.Task) (err error) {
	mode := team.Mode(j.recipe.Team.Feedback)
	switch mode {
	case team.Plain, team.Self, team.FirstAgain, team.Binary, team.Score:
		return nil
	case team.Diagnostics, team.Expert:
		j.reporter, _ = t.(task.Reporter)
	default:
		if of, ok := t.(task.Reporters); ok {
			j.reporter = of.Reporter(string(mode))
		}
	}
	if j.reporter == nil {
		return &UserError{fmt.Errorf("team.feedback is %s, but task %s has no such report on answers: write self, binary or first", mode, t.Name())}
	}
	if mode == team.Expert {
		j.expert, err = openExpert(j.recipe.Team.Expert)
	}
	return err
}

func openExpert(o recipe.Expert) (*expert.Expert, error) {
	key := ""
	if o.KeyEnv != "" {
		if key = os.Getenv(o.KeyEnv); key == "" {
			return nil, &UserError{fmt.Errorf("team.expert.key_env is %s, but that environment variable is not set", o.KeyEnv)}
		}
	}
	e, err := expert.Open(expert.Options{URL: o.URL, Model: o.Model, Key: key, Recording: o.Recording,
		Deadline: time.Duration(o.Seconds * float64(time.Second)), Retries: o.Retries})
	if err != nil {
		return nil, &UserError{err}
	}
	return e, nil
}

// reports says that agents are told about their answers of a turn.
func (j *judge) reports(turn int) bool {
	return team.Mode(j.recipe.Team.Feedback).Reports() && turn+1 < j.recipe.Team.Turns
}

// report is what every agent is told about the k-th joint action of a node (magrpo.md §9).
func (j *judge) report(p task.Problem, n *rollout.Node, k int) ([]string, error) {
	switch team.Mode(j.recipe.Team.Feedback) {
	case team.Binary:
		return j.verdict(n, k), nil
	case team.Score:
		return j.mark(n, k), nil
	}
	responses, _ := j.responses(n, n.Joint[k])
	reports, err := j.reporter.Report(p, responses, j.recipe.Team.SandboxSlice)
	if err == nil && j.expert != nil {
		reports, err = j.expert.Advise(context.Background(), p, responses, reports)
	}
	if err != nil {
		return nil, fmt.Errorf("report on problem %s: %w", p.ID, err)
	}
	return reports, nil
}

// verdict says whether a joint action was worth the greatest reward, or, where answers are compared with a truth, whether each is
// right.
func (j *judge) verdict(n *rollout.Node, k int) []string {
	_, most := j.rewardRange()
	out := make([]string, len(n.Agents))
	for s := range out {
		good := n.Agents[s].Completions[n.Joint[k][s]].Correct
		what := "Your previous answer was"
		if n.Scored != nil {
			good = n.Scored[k].Reward >= most-math.Abs(most)*1e-9
			what = "What your team answered was"
		}
		out[s] = what + map[bool]string{true: " good enough.", false: " not good enough."}[good]
	}
	return out
}

// mark says what a joint action earned, before it is processed.
func (j *judge) mark(n *rollout.Node, k int) []string {
	_, most := j.rewardRange()
	return slices.Repeat([]string{fmt.Sprintf("What your team answered earned %.4g of at most %.4g.", n.Scored[k].Reward, most)}, len(n.Agents))
}
