// Package probe measures how a server of the Tinker protocol computes, before anything is trained there: protocols agree, mathematics do not.
//
//	profile.go  what was found
//	bench.go    models of a session that are made, tried and thrown away
//	trial.go    a step so small that what it does is in proportion to the gradient
//	core.go     what training cannot do without; measured again whenever a run goes on
//	more.go     how passes add up, what is sent twice, what is saved
//	beside.go   what parley has no use for, or can do without
//	form.go     adapters as they come home
//	alone.go    what would change or fail what others do on the server: it is tried where nobody else is there
//
// Probes have the numbers of the protocol's published list, P1 to P24.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine/tinker/link"
)

// A Profile is what was measured of a server.
type Profile struct {
	Mean    bool `json:"mean"`    // a step averages over the tokens of each datum, and over the data since the last; else it sums
	Cispo   bool `json:"cispo"`   // cispo with both clips at 1 has the slope −A whatever the ratio is; else the ratio must be 1, which it is before the step
	Targets bool `json:"targets"` // tokens are scored that do not come next, which values need
	Clips   bool `json:"clips"`   // gradients are clipped
	Leaks   bool `json:"leaks"`   // the weight decay of one policy's step shrinks the others, or is taken to where that is not tried
	// Alpha is that of adapters of the rank that it was measured with, whose output is scaled by it over the rank; 0: the server does not say.
	Alpha float64 `json:"alpha"`

	AddsUp    bool `json:"adds_up"`    // passes before a step add up
	Once      bool `json:"once"`       // a request that comes twice is done once
	Loads     bool `json:"loads"`      // a new model that loads what another saved scores as that does
	Keeps     bool `json:"keeps"`      // a session to sample from keeps its weights while the model is trained
	Momentum  bool `json:"momentum"`   // a step without gradients is refused, or moves the weights by what the optimizer remembers
	Negative  bool `json:"negative"`   // cross_entropy takes weights of both signs
	Targets2D bool `json:"targets_2d"` // several targets a place are scored
	Critic    bool `json:"critic"`     // a model of role critic has values

	NoArchive bool `json:"no_archive,omitempty"` // adapters do not come home

	// Findings are what all probes found, in words.
	Findings []Finding `json:"findings"`
}

// A Finding is what one probe found.
type Finding struct {
	Probe string `json:"probe"` // its number in the protocol's list
	What  string `json:"what"`
	Found string `json:"found"`
}

func (p *Profile) note(probe, what, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{probe, what, fmt.Sprintf(format, args...)})
}

// Loss is what slopes are sent with.
func (p *Profile) Loss() (string, map[string]float64) {
	if p.Cispo {
		return "cispo", clips()
	}
	return "importance_sampling", nil
}

// MostGap is how far sampler and trainer of a server may be apart in a log-probability, in nats.
const MostGap = 0.05

// A Base is what is known of the base of a server.
type Base struct {
	Vocab int
	Rank  int // of the adapters that it is measured with
}

// Measure carries out all probes over a session. For a server that was measured before, only the core probes run; the rest is taken from
// before.
func Measure(ctx context.Context, c *link.Client, s *link.Session, base Base, before *Profile) (p Profile, err error) {
	b := &bench{c: c, s: s, base: base, known: map[string]effect{}}
	defer b.close()
	list := []func(context.Context, *Profile) error{b.targets, b.route, b.reduction, b.clipping, b.adapter, b.sampler}
	if before == nil {
		list = append(list, b.losses, b.empty, b.twice, b.decay, b.seeds, b.saved, b.keeps, b.negative, b.clipped, b.unknown, b.several, b.critic, b.stale)
	}
	p.Cispo = true
	for _, probe := range list {
		if err := errors.Join(ctx.Err(), probe(ctx, &p)); err != nil {
			return p, err
		}
	}
	if before != nil {
		p.take(before)
	}
	slices.SortStableFunc(p.Findings, func(a, b Finding) int { return number(a.Probe) - number(b.Probe) })
	return p, nil
}

// take takes over what was not measured again.
func (p *Profile) take(before *Profile) {
	p.AddsUp, p.Once, p.Loads, p.Momentum = before.AddsUp, before.Once, before.Loads, before.Momentum
	p.Keeps, p.Negative, p.Targets2D, p.Critic = before.Keeps, before.Negative, before.Targets2D, before.Critic
	p.Leaks, p.NoArchive, p.Alpha = before.Leaks, before.NoArchive, cmp.Or(p.Alpha, before.Alpha)
	own := slices.Clone(p.Findings)
	for _, f := range before.Findings {
		if !slices.ContainsFunc(own, func(own Finding) bool { return own.Probe == f.Probe && own.What == f.What }) {
			p.Findings = append(p.Findings, f)
		}
	}
}

func number(probe string) (n int) {
	_, _ = fmt.Sscanf(probe, "P%d", &n)
	return n
}

// unsupported wraps [errors.ErrUnsupported].
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errors.ErrUnsupported}, args...)...)
}
