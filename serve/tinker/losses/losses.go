// Package losses has the losses of the Tinker protocol, as it documents them: sums over all places of all data, never means.
//
// With p the log-probability of a target under the weights of now, q the one that the client sends (logprobs), A an advantage, w a weight and
// r = exp(p−q):
//
//	cross_entropy        −Σ w·p                          target_tokens, weights
//	importance_sampling  −Σ r·A                          target_tokens, logprobs, advantages
//	ppo                  −Σ min(r·A, clip(r, lo, hi)·A)   the same; lo and hi are ratios, 0.8 and 1.2
//	cispo                −Σ sg(clip(r, lo, hi))·p·A       the same; 0 and 4
//	dro                  −Σ (p·A − beta/2·(p−q)²)         the same; beta has no value of its own
//
// sg stops gradients. Weights are 1 where none are sent, and of cross_entropy alone. A loss knows every place by itself, so
// its gradient is one number a place, which [Loss.At] gives beside its value.
//
// Nothing that is sent is trusted: [Loss.Read] refuses arrays whose lengths disagree, numbers that are none, and names that it does not know, since
// what is silently left out would train something else.
//
// [Pass] takes data through an engine: forward, and backward where they are trained on.
package losses

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Loss is one of the protocol, with its settings.
type Loss struct {
	name      string
	low, high float64
	beta      float64
}

// settings are those that a loss knows; those without a value of their own must be sent.
var settings = map[string]map[string]float64{
	"cross_entropy":       {},
	"importance_sampling": {},
	"ppo":                 {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2},
	"cispo":               {"clip_low_threshold": 0, "clip_high_threshold": 4},
	"dro":                 {"beta": math.NaN()},
}

// New is the loss of a name.
func New(name string, config map[string]float64) (*Loss, error) {
	known, ok := settings[name]
	if !ok {
		return nil, fmt.Errorf("there is no loss %.60q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
	}
	values := maps.Clone(known)
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if _, ok := known[key]; !ok {
			return nil, fmt.Errorf("loss_fn_config %.60q: %s has no such setting", key, name)
		}
		if x := config[key]; math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return nil, fmt.Errorf("loss_fn_config %s is %g, expected a number from 0 up", key, x)
		}
		values[key] = config[key]
	}
	l := &Loss{name: name, low: values["clip_low_threshold"], high: values["clip_high_threshold"], beta: values["beta"]}
	switch {
	case math.IsNaN(l.beta):
		return nil, fmt.Errorf("loss_fn_config beta is missing: the protocol has no value for it")
	case l.low > l.high:
		return nil, fmt.Errorf("clip_low_threshold %g is above clip_high_threshold %g", l.low, l.high)
	}
	return l, nil
}

// At is the loss of the place i of a datum whose target has the log-probability p, and its slope in p.
func (l *Loss) At(d *Datum, i int, p float64) (loss, slope float64) {
	if l.name == "cross_entropy" {
		w := float64(d.Weights[i])
		return -w * p, -w
	}
	q, a := float64(d.Logprobs[i]), float64(d.Advantages[i])
	if a == 0 && l.name != "dro" { // a place that is masked, whatever its ratio is
		return 0, 0
	}
	r := math.Exp(p - q)
	switch l.name {
	case "importance_sampling":
		return -r * a, -r * a
	case "ppo":
		if c := clip(r, l.low, l.high); c*a < r*a {
			return -c * a, 0
		}
		return -r * a, -r * a
	case "cispo":
		c := clip(r, l.low, l.high)
		return -c * p * a, -c * a
	}
	return -(p*a - 0.5*l.beta*(p-q)*(p-q)), -(a - l.beta*(p-q)) // dro
}

func clip(r, low, high float64) float64 { return max(low, min(r, high)) }
