package bfcl

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"parley/task"
)

// What the parts of the published reward pay or cost (OpenMLRL/LLM_Collab_BFCL-v4, native_parallel), in the order in which they are added.
var weights = []struct {
	part string
	pays float64
}{
	{"parse", .05},
	{"function", .25},
	{"argument", .35},
	{"count", .10},
	{"balance", .15},
	{"exact", .20},
	{"overlap", -.20},
	{"lazy", -.15},
	{"extra", -.05},
	{"duplicate", -.05},
}

// What the published reward is cut to. Nothing earns more than 1.1, the sum of what is paid.
const (
	published      = "published"
	robust         = "robust"
	leastPublished = -.4
	mostPublished  = 1.2
)

// published sums the parts.
func (p parts) published() float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w.pays * p[w.part]
	}
	return min(max(sum, leastPublished), mostPublished)
}

// robust pays for what is valid, and for what comes near it; not for calls that are only well formed.
func (p parts) robust() float64 {
	return p["valid"] - .15*p["lazy"] - .20*p["overlap"] + .35*p["argument"]*(1-p["valid"])
}

// parts are shares from 0 to 1, by the names of the vectors.
type parts map[string]float64

// measure measures what each agent said against what was asked.
func measure(agents [][]Call, asked []wanted, functions []function) parts {
	merged, g := merge(agents...), float64(len(asked))
	said, own, lazy, raw, apart := map[string]int{}, []int{}, 0., 0, 0 // who said it; calls of each; none; all; different ones of each
	for _, calls := range agents {
		different := merge(calls)
		for _, c := range different {
			said[c.key()]++
		}
		own, raw, apart = append(own, len(different)), raw+len(calls), apart+len(different)
		if len(calls) == 0 {
			lazy++
		}
	}
	argument, exact := similarity(merged, asked)
	m := float64(len(merged))
	return parts{
		"parse": one(m > 0), "function": f1(merged, asked), "argument": argument, "count": max(0, 1-math.Abs(m-g)/g),
		"balance": balance(own, len(asked)), "exact": one(exact && len(merged) == len(asked)),
		"overlap": min(1, float64(apart-len(said))/g), "lazy": lazy / float64(len(agents)),
		"extra": min(1, max(0, m-g)/g), "duplicate": min(1, float64(raw-len(said))/g),
		"valid": one(valid(merged, asked, functions)),
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// f1 is that of names, each as often as it is there.
func f1(calls []Call, asked []wanted) float64 {
	left, both := map[string]int{}, 0.
	for _, w := range asked {
		left[w.name]++
	}
	for _, c := range calls {
		if left[c.Name] > 0 {
			left[c.Name]--
			both++
		}
	}
	return 2 * both / float64(len(calls)+len(asked))
}

// balance is 1 where every agent says its share of the calls; what is over is the first agents'.
func balance(own []int, asked int) float64 {
	off := 0.
	for i, n := range own {
		ideal := asked / len(own)
		if i < asked%len(own) {
			ideal++
		}
		off += math.Abs(float64(n - ideal))
	}
	return max(0, 1-off/float64(asked))
}

// similarity pairs calls with asked ones, the most similar first: the mean over the asked ones, and whether every one has an exact pair.
func similarity(calls []Call, asked []wanted) (mean float64, exact bool) {
	type pair struct {
		call, asked int
		similarity  float64
		exact       float64
	}
	var pairs []pair
	for i, c := range calls {
		for j, w := range asked {
			if s, exact := w.similar(c); s > 0 {
				pairs = append(pairs, pair{i, j, s, one(exact)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(b.exact, a.exact))
	})
	usedCalls, usedAsked, sum, exacts := map[int]bool{}, map[int]bool{}, 0., 0.
	for _, p := range pairs {
		if usedCalls[p.call] || usedAsked[p.asked] {
			continue
		}
		usedCalls[p.call], usedAsked[p.asked] = true, true
		sum, exacts = sum+p.similarity, exacts+p.exact
	}
	return sum / float64(len(asked)), int(exacts) == len(asked)
}

// similar is the share of the asked arguments that a call has, less what it has beside them.
func (w wanted) similar(c Call) (share float64, exact bool) {
	if c.Name != w.name {
		return 0, false
	}
	if len(w.accepted) == 0 {
		return 1 - .3*one(len(c.Arguments) > 0), len(c.Arguments) == 0
	}
	n, surplus, matched := float64(len(w.accepted)), 0., 0.
	for name := range c.Arguments {
		if _, asked := w.accepted[name]; !asked {
			surplus++
		}
	}
	for name, accepted := range w.accepted {
		v, there := c.Arguments[name]
		if !there && contains(accepted, "") || there && slices.ContainsFunc(accepted, func(a any) bool { return alike(v, a) }) {
			matched++
		}
	}
	return matched / n * (n / (n + surplus)), matched == n && surplus == 0
}

// alike compares a value with an accepted one: texts without quotes, letter case and runs of blanks, numbers within 1e-6. An accepted dict
// has a list of accepted values for each key.
func alike(v, accepted any) bool {
	switch a := accepted.(type) {
	case string:
		text, ok := v.(string)
		return ok && plain(text) == plain(a)
	case []any:
		list, ok := v.([]any)
		return ok && slices.EqualFunc(list, a, alike)
	case map[string]any:
		return dictAlike(v, a)
	}
	x, y := numeric(v), numeric(accepted)
	if x == nil || y == nil || (kind(v) == "boolean") != (kind(accepted) == "boolean") {
		return equal(v, accepted)
	}
	f, _ := x.Float64()
	g, _ := y.Float64()
	return f == g || math.Abs(f-g) < 1e-6
}

// dictAlike looks at a dict as at the arguments of a call.
func dictAlike(v any, accepted map[string]any) bool {
	given, ok := v.(map[string]any)
	w := wanted{accepted: map[string][]any{}}
	for key, options := range accepted {
		list, many := options.([]any)
		if !many {
			list = []any{options}
		}
		w.accepted[key] = list
	}
	_, exact := w.similar(Call{Arguments: given})
	return ok && exact
}

func plain(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(text), `"'`)), " "))
}

// score is what the agents earn, with what diagnoses need.
func (p parts) score(scorer string) task.Score {
	audit, solved := p.robust(), p["valid"]
	s := task.Score{Reward: audit, Parts: p, Signals: &task.Signals{Audit: &audit, Solved: &solved}}
	if scorer == published {
		s.Reward = p.published()
	}
	return s
}
