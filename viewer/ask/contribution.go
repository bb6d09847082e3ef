package ask

// This file says what each agent of a trained team contributes.
//
//	contribution.go  the numbers of each agent
//	sentence.go      the same in words
//	arms.go          the team without agents, on held-out problems
//	played.go        what was played, which is kept with the run
//	absent.go        what a team can do without an agent
//
// What training recorded is read by package show.
//
// The team plays the same held-out problems again and again by the same random numbers: as it is, without each agent, with each one untrained, and,
// for Shapley's value, in coalitions of agents. As it is it has the score of the run's report.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"parley/internal/seed"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/eval"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/viewer/episodes"
	"parley/viewer/tables"
)

// ContributionOptions say of which run, and on how many problems.
type ContributionOptions struct {
	Dir      string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool              // the run was made elsewhere, and may do what its recipe asks for
	Moved    []string          // where files are now that the run's recipe names: changes key=value
	Problems int               // held-out ones, from the first; 0: as many as is usual
	Update   int               // after which; 0: as it is now
	Seed     *int              // of what is drawn; nil: that of the run
	Orders   int               // of agents, drawn for Shapley's value; 0: all of a team of at most four, else as many as is usual
	Recorded bool              // nothing is played: what training recorded
	Tell     func(line string) // is told how far it is
}

// What is usual.
const (
	usualProblems = 100
	usualOrders   = 10
	fewAgents     = 4 // whose orders are all taken
	mostOrders    = 1000
)

// A Contribution is what the agents of a team contribute.
type Contribution struct {
	Run      string              `json:"run"`
	Update   int                 `json:"update"`   // after which they are what they are
	Problems int                 `json:"problems"` // held-out ones that could be scored in every way; 0: none was played
	Unscored int                 `json:"unscored,omitempty"`
	Seed     int                 `json:"seed"`
	Measure  string              `json:"measure"`
	Score    *float64            `json:"score"`  // of the team
	Nobody   *float64            `json:"nobody"` // of the team without all whom it can lack
	Orders   int                 `json:"orders"` // drawn; 0: all, Shapley's value is exact
	Agents   []AgentContribution `json:"agents"`
	Training *tables.Training    `json:"training"`
	Notes    []string            `json:"notes"`
}

// An AgentContribution is that of one agent. What is null is not known, and Notes say why.
type AgentContribution struct {
	Agent string `json:"agent"`
	tables.Recorded
	Worth
	Sentence string   `json:"sentence"` // could it be dropped?
	Notes    []string `json:"notes"`
}

// Worth is what the team scores without an agent, without what it has learned, and the agent's part in the score.
type Worth struct {
	LeftOut      *Lacking    `json:"left_out"`
	Untrained    *Lacking    `json:"untrained"`
	Shapley      *float64    `json:"shapley"`
	ShapleyCI95  *[2]float64 `json:"shapley_ci95"`
	ShapleyError *float64    `json:"shapley_error"` // standard error, where orders are drawn
}

// Lacking is the team that lacks an agent, or what it has learned.
type Lacking struct {
	How        string     `json:"how"` // the agent is absent: left-out or untrained
	Score      float64    `json:"score"`
	Difference float64    `json:"difference"` // less the score of the team: below 0 where the agent is of use
	CI95       [2]float64 `json:"ci95"`       // paired, over problems
	P          float64    `json:"p"`
}

// Contribute says it, from what is kept with the run as far as that is there. A result that cannot be kept is returned beside an error that says so.
func Contribute(ctx context.Context, o ContributionOptions) (*Contribution, error) {
	r, _, err := RecipeOf(o.Language, o.Dir)
	if err != nil {
		return nil, err
	}
	var key Key
	if !o.Recorded {
		if err = Refused(o.Dir, r); err == nil {
			key, err = o.key(r)
		}
		if err != nil {
			return nil, err
		}
	}
	kept, err := readKept(o.Dir)
	if err != nil && o.Tell != nil {
		o.Tell(fmt.Sprintf("%v: it is played again", err))
	}
	training, unkept, err := o.trained(ctx, kept)
	if err != nil {
		return nil, err
	}
	var p *Played
	if !o.Recorded {
		if p = kept.find(key); p == nil || p.Table == nil {
			if p, err = o.play(ctx, key, p); p == nil {
				return nil, err
			}
			unkept = cmp.Or(unkept, err)
		}
	}
	return contribution(o.Dir, episodes.TeamIn(o.Dir).Names, p, training), unkept
}

// trained is what is kept of the run's training, or is read now and then kept.
func (o ContributionOptions) trained(ctx context.Context, k keptContribution) (t *tables.Training, unkept, err error) {
	updates, err := episodes.Open(o.Dir).Updates()
	if err != nil || k.Training.Whole(updates) && len(updates) > 0 {
		return k.Training, nil, err
	}
	if t, err = tables.ReadTraining(ctx, o.Dir, TeamOf(o.Language, o.Dir)); err != nil {
		return nil, nil, err
	}
	return t, change(ctx, o.Dir, func(k *keptContribution) { k.Training = t }), nil
}

// A Known is what is known of a run without playing anything: the newest result that is kept, beside what training recorded.
type Known struct {
	Contribution *Contribution `json:"contribution"`
	Command      string        `json:"command"` // that plays
	Refused      string        `json:"refused"` // why it cannot; empty: it can
}

// Contributed reads it. Where ctx has a deadline, of what training recorded there is as much as there is time for.
func Contributed(ctx context.Context, language *recipe.Language, dir string) (*Known, error) {
	k, _ := readKept(dir) // a damaged one is played again
	updates, err := episodes.Open(dir).Updates()
	if err == nil && !k.Training.Whole(updates) {
		k.Training, err = tables.ReadTraining(ctx, dir, TeamOf(language, dir))
	}
	if err != nil {
		return nil, err
	}
	var newest *Played
	for _, p := range k.Results {
		if p.Table != nil {
			newest = p
		}
	}
	known := &Known{Contribution: contribution(dir, episodes.TeamIn(dir).Names, newest, k.Training), Command: usererror.Quote("parley", "run", "contribution", dir)}
	r, _, err := RecipeOf(language, dir)
	if err == nil {
		err = Refused(dir, r)
	}
	if err == nil {
		_, err = ContributionOptions{Dir: dir}.key(r)
	}
	if err != nil {
		known.Refused = err.Error()
	}
	return known, nil
}

// key is what the numbers that are wanted depend on, as far as it is known without opening the run.
func (o ContributionOptions) key(r *recipe.Recipe) (k Key, err error) {
	k = Key{Problems: o.Problems, Seed: r.Seed, Orders: o.Orders}
	if k.Problems == 0 {
		k.Problems = min(usualProblems, r.Eval.Problems)
	}
	if k.Problems < 1 || k.Problems > r.Eval.Problems {
		return k, usererror.Errorf("there are no %d held-out problems: the run was measured on %d (eval.problems); write --problems with 1 to %d", k.Problems, r.Eval.Problems, r.Eval.Problems)
	}
	if o.Orders < 0 || o.Orders > mostOrders {
		return k, usererror.Errorf("%d orders cannot be drawn: write --orders with 1 to %d", o.Orders, mostOrders)
	}
	if k.Orders == 0 && r.Team.Agents.N > fewAgents {
		k.Orders = usualOrders
	}
	if o.Seed != nil {
		k.Seed = *o.Seed
	}
	if o.Update == 0 && r.AlgorithmType().Untrained() {
		return k, nil
	}
	from, err := verify.PoliciesOf(o.Dir, o.Update)
	k.Update = from.Update
	var none *verify.NoCheckpointError
	if errors.As(err, &none) {
		return k, usererror.Errorf("%w, so that nothing can be played: --recorded has what training recorded", none)
	}
	return k, err
}

// contribution puts together what is known: what training recorded, and what was played; nil: nothing was.
func contribution(dir string, names []string, p *Played, t *tables.Training) *Contribution {
	c := &Contribution{Run: filepath.Base(dir), Agents: []AgentContribution{}, Training: t, Notes: []string{}}
	for i, name := range names {
		a := AgentContribution{Agent: name, Recorded: t.Of(i), Notes: []string{}}
		if p != nil && p.Table != nil && i < len(p.Table.Agents) {
			if a.Worth = p.Table.Agents[i]; p.Seats[i].Alone == Untrained {
				a.LeftOut = a.Untrained
			}
			a.Sentence, a.Notes = p.sentence(i, name), append(a.Notes, p.notes(i, name)...)
		}
		c.Agents = append(c.Agents, a)
	}
	if p == nil || p.Table == nil {
		return c
	}
	c.Update, c.Seed, c.Orders, c.Measure = p.Update, p.Seed, p.Orders, p.Measure.Name
	c.Problems, c.Unscored, c.Score, c.Nobody = p.Table.Problems, p.Table.Unscored, &p.Table.Score, p.Table.Nobody
	if c.Unscored > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("problems are left out that could not be scored in every way to play: %d", c.Unscored))
	}
	if c.Nobody == nil {
		c.Notes = append(c.Notes, "no score is shared out: "+p.unshared())
	}
	return c
}

// table says from what was played what each agent is worth.
func (p *Played) table() (*Table, error) {
	of, whole := members(p.Seats), p.arm(measure.Change{})
	scored := p.scored()
	if len(scored) == 0 {
		return nil, errors.New("no problem could be scored in every way to play: play more of them")
	}
	by := func(c measure.Change) (out []float64) {
		for _, i := range scored {
			out = append(out, *p.arm(c).Scores[i])
		}
		return out
	}
	w := eval.Worth{Measure: p.Measure, Team: by(measure.Change{}), LeftOut: map[int][]float64{}, Before: map[int][]float64{}, Members: of, Orders: p.orders(len(of))}
	for i, s := range p.Seats {
		if c, _ := without(i, LeftOut); s.Alone == LeftOut && p.why(c) == "" {
			w.LeftOut[i] = by(c)
		}
		if c, _ := without(i, Untrained); s.Trained && p.why(c) == "" {
			w.Before[i] = by(c)
		}
	}
	t := &Table{Problems: len(scored), Unscored: len(whole.Scores) - len(scored), Score: eval.Mean(w.Team), Agents: []Worth{}}
	if p.unshared() == "" {
		w.Scores = func(c eval.Coalition) []float64 { return by(coalition(p.Seats, of, c)) }
		t.Nobody = new(eval.Mean(w.Scores(0)))
	}
	list, err := eval.Contributions(len(p.Seats), w, seed.Derive(uint64(p.Seed), "contribution"))
	if err != nil {
		return nil, err
	}
	for i, c := range list {
		t.Agents = append(t.Agents, worth(c, w.LeftOut[i], w.Before[i], p.Orders > 0))
	}
	return t, nil
}

// worth is a contribution as it is kept.
func worth(c eval.Contribution, leftOut, untrained []float64, drawn bool) Worth {
	lacking := func(how string, d *eval.Difference, scores []float64) *Lacking {
		if d == nil {
			return nil
		}
		return &Lacking{how, eval.Mean(scores), d.Mean, [2]float64{d.Interval.Low, d.Interval.High}, d.P}
	}
	w := Worth{LeftOut: lacking(LeftOut, c.LeftOut, leftOut), Untrained: lacking(Untrained, c.Before, untrained)}
	if s := c.Share; s != nil {
		w.Shapley, w.ShapleyCI95 = &s.Mean, &[2]float64{s.Interval.Low, s.Interval.High}
		if drawn {
			w.ShapleyError = &s.Error
		}
	}
	return w
}

// scored are the problems, from 0, that could be scored in every arm that could be measured.
func (p *Played) scored() (out []int) {
	for i := range p.Problems {
		if all(p.Arms, func(a Arm) bool { return a.Why != "" || i < len(a.Scores) && a.Scores[i] != nil }) {
			out = append(out, i)
		}
	}
	return out
}

// unshared says why no score is shared out; empty: it is.
func (p *Played) unshared() string {
	of := members(p.Seats)
	if len(of) == 0 {
		return "the team is never without any of its agents"
	}
	for _, c := range eval.Coalitions(p.orders(len(of))) {
		if a := p.arm(coalition(p.Seats, of, c)); a.Why != "" {
			return p.told(*a)
		}
	}
	return ""
}
