package together

import (
	"context"
	"slices"
	"strings"

	"parley/recipe"
	"parley/rl/eval"
	"parley/runs"
	"parley/systems/mutual"
	"parley/task"
	"parley/task/environment"
	"parley/train/lineup"
	"parley/train/plan"
)

// pair trains a teacher and a student.
type pair struct {
	*mutual.Run
	lineup lineup.Lineup
	world  mutual.World
	of     mutual.Settings
	// before is the pair before anything was learned, as it does on held-out problems.
	fresh func() (*mutual.Run, error)
	size  int // problems of an update
}

// directions are the actions of a student of the world grid.
var directions = []string{"1", "2", "3", "4"}

func openMutual(l lineup.Lineup, w environment.Environment) (system, error) {
	s := recipe.Section[mutual.Keys](l.Recipe)
	names := l.Recipe.Team.Agents.Names()
	p := &pair{lineup: l, size: l.Recipe.Training.Problems}
	p.world = mutual.World{Environment: w, Teacher: names[0], Student: names[1], Actions: slices.Clone(directions), Useful: useful}
	p.of = mutual.Settings{
		Mode: mutual.Mode(s.Mode), Gamma: s.Discount, Step: s.Step, Explore: s.Explore, Comply: s.Comply, Difference: s.Credit == "difference", TeacherEvery: s.TeacherEvery, Seed: uint64(l.Recipe.Seed),
	}
	p.fresh = func() (*mutual.Run, error) { return mutual.New(p.world, p.teacher(false), p.of) }
	var err error
	p.Run, err = mutual.New(p.world, p.teacher(true), p.of)
	return p, err
}

// teacher is the first agent, with its policy or as it was before.
func (p *pair) teacher(trained bool) *mutual.Teacher {
	a := p.lineup.Runner(trained, plan.Sampling(p.lineup.Recipe), p.lineup.Rollout().Settings).Actors[0]
	o := p.lineup.Recipe.OptimizerOf(0)
	return &mutual.Teacher{
		Engine: a.Engine, Codec: a.Codec, Policy: a.Policy(0), Sampling: plan.Sampling(p.lineup.Recipe),
		MaxTokens: p.lineup.Recipe.Sampling.MaxTokens, Never: a.Never, Adam: o.Adam(o.LR),
	}
}

// useful says that a direction stands among the ways that the teacher of the world grid observes.
func useful(observed, said string) bool {
	_, ways, _ := strings.Cut(observed, "goal by ")
	return strings.Contains(ways, said)
}

// update plays episodes, one after another.
func (p *pair) update(ctx context.Context, n int) (map[string]float64, int, error) {
	before := p.Updates
	numbers, tokens, _, err := play(ctx, p.Run, p.lineup.Training.Batch(n), n*p.size)
	if numbers != nil {
		numbers["teacher updates"] = float64(p.Updates - before)
	}
	return numbers, tokens, err
}

// play plays problems and says how it went: shares of episodes that succeed and of instructions that are useful, and steps.
func play(ctx context.Context, r *mutual.Run, problems []task.Problem, first int) (numbers map[string]float64, tokens int, won []float64, err error) {
	var steps, said, helped float64
	for i, problem := range problems {
		o, err := r.Episode(ctx, problem, first+i)
		if err != nil {
			return nil, 0, nil, err
		}
		reached := 0.0
		if o.Success {
			reached = 1
		}
		won = append(won, reached)
		steps, said, helped, tokens = steps+float64(o.Steps), said+float64(o.Said), helped+float64(o.Useful), tokens+o.Tokens
	}
	n, sum := float64(len(problems)), 0.0
	for _, x := range won {
		sum += x
	}
	numbers = map[string]float64{"success rate": sum / n, "steps": steps / n}
	if said > 0 {
		numbers["useful instructions"] = helped / said
	}
	return numbers, tokens, won, nil
}

func (p *pair) state() any { return p.State }

func (p *pair) restore(state []byte) error { return p.Restore(state) }

// rows measure the pair before and after. Nothing is learned then, and nothing tried at random.
func (p *pair) rows(ctx context.Context) ([]runs.Row, error) {
	fresh, err := p.fresh()
	if err != nil {
		return nil, err
	}
	var rows []runs.Row
	for _, s := range []struct {
		name string
		run  *mutual.Run
	}{{runs.OffTheShelf, fresh}, {runs.Trained, p.Run}} {
		still, err := s.run.Still()
		if err != nil {
			return nil, err
		}
		numbers, tokens, won, err := play(ctx, still, p.lineup.HeldOut, 0)
		if err != nil {
			return nil, err
		}
		score := numbers["success rate"]
		ci := eval.OverProblems(won, p.of.Seed)
		rows = append(rows, runs.Row{
			System: s.name, Score: score, CI95: [2]float64{ci.Low, ci.High}, PerTurn: []float64{score}, Play: numbers,
			TokensPerProblem: float64(tokens) / float64(len(won)), Costs: p.costs(numbers["steps"], float64(tokens)/float64(len(won))),
		})
	}
	return rows, nil
}

// costs are the queries and the tokens of an episode by role: the teacher is asked before every step of the student, who is a table and has no tokens.
func (p *pair) costs(steps, tokens float64) map[string]map[string]float64 {
	instructed := steps
	if p.of.Mode == mutual.None {
		instructed = 0
	}
	return map[string]map[string]float64{
		p.world.Teacher: {"queries": instructed, "tokens": tokens}, p.world.Student: {"queries": steps, "tokens": 0},
	}
}
