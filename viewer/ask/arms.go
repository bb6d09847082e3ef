package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/internal/terminal"
	"parley/internal/usererror"
	"parley/rl/eval"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/passrate"
	"parley/train/provenance"
	"parley/train/score"
	"parley/viewer/episodes"
)

// longestWhy is how much is kept of why an arm could not be measured, in characters.
const longestWhy = 300

// orders are those in which n members come.
func (p *Played) orders(n int) [][]int {
	if p.Orders == 0 {
		return eval.Orders(n)
	}
	return eval.DrawnOrders(n, p.Orders, seed.Derive(uint64(p.Seed), "orders"))
}

// wanted are the changes to play: none, each agent absent, and coalitions.
func (p *Played) wanted() (out []measure.Change) {
	known := map[string]bool{}
	add := func(c measure.Change) {
		if key := keyOf(c); !known[key] {
			known[key], out = true, append(out, c)
		}
	}
	add(measure.Change{})
	for i, s := range p.Seats {
		if c, ok := without(i, s.Alone); ok {
			add(c)
		}
	}
	for i, s := range p.Seats {
		if c, _ := without(i, Untrained); s.Trained {
			add(c)
		}
	}
	of := members(p.Seats)
	for _, c := range eval.Coalitions(p.orders(len(of))) {
		add(coalition(p.Seats, of, c))
	}
	return out
}

// play plays what is wanted and was not played yet. Each arm is kept once it is played, so that what was interrupted goes on there. Where nothing can
// be kept, the result is returned beside a [folder.KeepError].
func (o ContributionOptions) play(ctx context.Context, key Key, p *Played) (*Played, error) {
	t, err := OpenTeam(ctx, TeamOptions{Dir: o.Dir, Language: o.Language, Backend: o.Backend, Trust: o.Trust, Moved: o.Moved, Problems: true, Update: o.Update})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if p, err = o.begin(ctx, &t, key, p); err != nil {
		return nil, err
	}
	var unkept error
	for left := p.left(); len(left) > 0; left = p.left() {
		a, err := t.playArm(ctx, left[0])
		if err != nil {
			return nil, fmt.Errorf("%w; %d of %d ways to play are kept with the run, and the same command goes on", err, len(p.Arms), len(p.Arms)+len(left))
		}
		if p.Arms = append(p.Arms, a); o.Tell != nil {
			o.Tell(fmt.Sprintf("%d of %d: %s", len(p.Arms), len(p.Arms)+len(left)-1, p.told(a)))
		}
		p.adapt()
		if unkept == nil {
			unkept = p.keep(ctx, o.Dir)
		}
	}
	if p.Table, err = p.table(); err != nil {
		return nil, err
	}
	if unkept == nil {
		unkept = p.keep(ctx, o.Dir)
	}
	return p, unkept
}

// begin finds the problems, and what was played of a result before, where nothing has changed since.
func (o ContributionOptions) begin(ctx context.Context, t *Team, key Key, was *Played) (*Played, error) {
	measured, err := t.Measured()
	if err != nil {
		return nil, err
	}
	rates, err := passrate.HeldOut(ctx, measured, o.Dir, func(string, any) error { return nil }, func(string) {})
	if err == nil {
		err = rates.Keep(t.Lineup, func(string) {})
	}
	if err != nil {
		return nil, err
	}
	if err := o.same(measured); err != nil {
		return nil, err
	}
	t.HeldOut = t.HeldOut[:min(key.Problems, len(t.HeldOut))]
	t.Lineup = measured
	own := *t.Recipe
	own.Seed, t.Recipe = key.Seed, &own
	p := &Played{
		Key: key, SHA256: score.Fingerprint(t.HeldOut), Kernels: provenance.OfRecipe(t.Recipe, t.Backend, "").Kernels, Measure: t.Scorer.Measure(),
		Seats: seats(*t, episodes.TeamIn(o.Dir).Names), Arms: []Arm{},
	}
	fresh := *p
	if was != nil && was.SHA256 == p.SHA256 && was.Kernels == p.Kernels && was.Measure == p.Measure {
		p.Seats, p.Arms = slices.Clone(p.Seats), was.Arms
		if p.adapt(); slices.Equal(was.Seats, p.Seats) {
			return p, nil
		}
	}
	return &fresh, nil
}

// left is what is still to be played.
func (p *Played) left() []measure.Change {
	return slices.DeleteFunc(p.wanted(), func(c measure.Change) bool { return p.arm(c) != nil })
}

// adapt finds those whom the others cannot go on without: where they say nothing, nothing can be scored. Then their untrained base speaks in their place.
func (p *Played) adapt() {
	for i, s := range p.Seats {
		c, _ := without(i, LeftOut)
		if a := p.arm(c); s.Alone != LeftOut || a == nil || a.Why == "" {
			continue
		}
		s.Why = "the others cannot go on without what it says"
		if s.Alone = Untrained; !s.Trained {
			s.Alone = Never
		}
		s.Together = s.Alone
		p.Seats[i] = s
	}
}

// same refuses other problems than the run's report is about, and another way to score them.
func (o ContributionOptions) same(measured lineup.Lineup) error {
	report, err := runs.ReadReport(o.Dir)
	if err != nil {
		return nil // without a report nobody compares
	}
	sum, ruler := score.Fingerprint(measured.HeldOut), score.Ruler(measured.Recipe)
	switch {
	case report.ProblemsSHA256 != "" && report.ProblemsSHA256 != sum:
		return usererror.Errorf("the held-out problems are not those that %s was measured on: put the data back, or say with --set where they are", o.Dir)
	case report.Ruler != "" && report.Ruler != ruler:
		return usererror.Errorf("%s was measured in another way than it would be now (%s, and now %s): put back what scores", o.Dir, report.Ruler, ruler)
	}
	return nil
}

// playArm measures the team with a change.
func (t Team) playArm(ctx context.Context, c measure.Change) (Arm, error) {
	a := Arm{LeftOut: append([]int{}, c.LeftOut...), Untrained: append([]int{}, c.Untrained...), Scores: []*float64{}}
	r := t.Evaluation(t.Trained)
	if err := c.On(r); err != nil {
		return a, err
	}
	by := measure.Of(t.Lineup)
	by.Silent = c.LeftOut
	m, err := by.Debates(ctx, "the team", r)
	if unscored := new(measure.UnscoredError); errors.As(err, &unscored) && len(c.LeftOut)+len(c.Untrained) > 0 { // else nothing can be told
		a.Why = terminal.Cut(strings.Join(strings.Fields(unscored.Error()), " "), longestWhy)
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Scores = make([]*float64, m.Problems())
	numbers, places, _ := measure.Common(m, m)
	for i, n := range numbers {
		a.Scores[n] = &m.Last().Values[places[i]]
	}
	return a, nil
}

// told is an arm in words.
func (p *Played) told(a Arm) string {
	var who []string
	for _, i := range a.LeftOut {
		who = append(who, "without "+p.Seats[i].Agent)
	}
	for _, i := range a.Untrained {
		who = append(who, p.Seats[i].Agent+" untrained")
	}
	if len(who) == 0 {
		who = []string{"the team as it is"}
	}
	if a.Why != "" {
		return strings.Join(who, ", ") + ": " + a.Why
	}
	var scores []float64
	for _, x := range a.Scores {
		if x != nil {
			scores = append(scores, *x)
		}
	}
	return fmt.Sprintf("%s: %s %.3f", strings.Join(who, ", "), p.Measure.Name, eval.Mean(scores))
}
