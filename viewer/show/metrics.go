package show

import (
	"cmp"
	"strings"

	"parley/runs/scalars"
)

// Metrics are the curves of a run, column by column.
type Metrics struct {
	Updates []int      `json:"updates"`
	Tokens  []float64  `json:"tokens"`  // generated so far
	Seconds []*float64 `json:"seconds"` // worked so far; nil: not known
	Series  []Series   `json:"series"`
	Damaged string     `json:"damaged,omitempty"`
}

// A Series is one curve.
type Series struct {
	Key    string     `json:"key"`
	Name   string     `json:"name"` // of the number; series of one name belong together
	Part   string     `json:"part"` // whose: an agent, a turn, a policy
	Unit   string     `json:"unit"`
	About  string     `json:"about"`
	Group  string     `json:"group"`
	Values []*float64 `json:"values"`
}

// Metrics reads the curves of a run. A line that is damaged ends them, and is said.
func (r *Root) Metrics(id string) (*Metrics, error) {
	return r.curves(id, func(Series) bool { return true })
}

// curves are those of a run. Of those that are not wanted there is no more than what they are called.
func (r *Root) curves(id string, wanted func(Series) bool) (m *Metrics, err error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	var agents []string
	if row, err := r.row(id); err == nil {
		agents = row.Agents
	}
	r.numbers.Of(dir, func(of *scalars.Run) { m = curves(of, agents, wanted) })
	return m, nil
}

func curves(of *scalars.Run, agents []string, wanted func(Series) bool) *Metrics {
	all := &of.Metrics
	m := &Metrics{Updates: all.Updates, Tokens: make([]float64, len(all.Updates)), Seconds: make([]*float64, len(all.Updates)), Series: []Series{}}
	timed := map[int]int{} // update: its row in timing.jsonl
	for row, update := range of.Timing.Updates {
		timed[update] = row
	}
	time := func(name string, row int) *float64 {
		if at, ok := timed[all.Updates[row]]; ok {
			return of.Timing.At(name, at)
		}
		return nil // a time of an update that the run went back from, or none
	}
	add := func(names []string, prefix string, at func(name string, row int) *float64) {
		for _, name := range names {
			s := describe(prefix+strings.ReplaceAll(name, "/", "."), agents)
			if wanted(s) {
				s.Values = make([]*float64, len(all.Updates))
				for row := range s.Values {
					s.Values[row] = at(name, row)
				}
			}
			m.Series = append(m.Series, s)
		}
	}
	add(all.Names, "", all.At)
	add(of.Timing.Names, "timing.", time)
	tokens, worked := 0.0, 0.0
	for row := range m.Updates {
		if x := all.At("tokens", row); x != nil {
			tokens += *x
		}
		m.Tokens[row] = tokens
		if x := time("seconds", row); x != nil {
			worked += *x
			m.Seconds[row] = new(worked)
		}
	}
	if err := cmp.Or(all.Damaged, of.Timing.Damaged); err != nil {
		m.Damaged = err.Error()
	}
	return m
}

// Last is what one update adds to curves, by the keys of the series.
type Last struct {
	Update  int                `json:"update"`
	Tokens  float64            `json:"tokens"`
	Seconds *float64           `json:"seconds"`
	Values  map[string]float64 `json:"values"`
}

// Behind are the updates behind one.
func (m *Metrics) Behind(update int) []Last {
	var out []Last
	for row, u := range m.Updates {
		if u <= update {
			continue
		}
		l := Last{u, m.Tokens[row], m.Seconds[row], map[string]float64{}}
		for _, s := range m.Series {
			if x := s.Values[row]; x != nil {
				l.Values[s.Key] = *x
			}
		}
		out = append(out, l)
	}
	return out
}
