package show

import (
	"slices"
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
	r.hold(dir, func(h *held) { m = h.curves(agents, wanted) })
	return m, nil
}

func (h *held) curves(agents []string, wanted func(Series) bool) *Metrics {
	all := &h.metrics
	m := &Metrics{Updates: all.updates, Tokens: make([]float64, len(all.updates)), Seconds: make([]*float64, len(all.updates)), Series: []Series{}}
	if m.Updates == nil {
		m.Updates = []int{}
	}
	timed := map[int]int{} // update: its row in timing.jsonl
	for row, update := range h.timing.updates {
		timed[update] = row
	}
	add := func(of *numbers, prefix string, rowOf func(row int) (int, bool)) {
		for column, name := range of.reader.Names {
			s := describe(prefix+strings.ReplaceAll(name, "/", "."), agents)
			if wanted(s) {
				s.Values = make([]*float64, len(all.updates))
				for row := range s.Values {
					if there, ok := rowOf(row); ok {
						s.Values[row] = of.at(column, there)
					}
				}
			}
			m.Series = append(m.Series, s)
		}
	}
	add(all, "", func(row int) (int, bool) { return row, true })
	add(&h.timing, "timing.", func(row int) (int, bool) {
		there, ok := timed[all.updates[row]]
		return there, ok
	})
	m.sums(all.named("tokens"), h.timing.named("seconds"), timed)
	switch {
	case h.failed != nil:
		m.Damaged = h.failed.Error()
	case all.cut:
		m.Damaged = (&scalars.CutError{After: all.last()}).Error()
	}
	return m
}

// sums are what came up to each row; a column that has no number there adds none.
func (m *Metrics) sums(tokens, seconds func(row int) (float64, bool), timed map[int]int) {
	sum, worked := 0.0, 0.0
	for row, update := range m.Updates {
		if x, ok := tokens(row); ok {
			sum += x
		}
		m.Tokens[row] = sum
		there, ok := timed[update]
		if !ok {
			continue
		}
		if x, ok := seconds(there); ok {
			worked += x
			m.Seconds[row] = new(worked)
		}
	}
}

// named reads a column by its name.
func (n *numbers) named(name string) func(row int) (float64, bool) {
	column := slices.Index(n.reader.Names, name)
	return func(row int) (float64, bool) {
		if column < 0 {
			return 0, false
		}
		x := n.at(column, row)
		if x == nil {
			return 0, false
		}
		return *x, true
	}
}

// means are what the columns below a name are on average, of each line that has some.
func (n *numbers) means(below string) (out []float64) {
	var of []int
	for column, name := range n.reader.Names {
		if part, ok := strings.CutPrefix(name, below); ok && !strings.Contains(part, "/") {
			of = append(of, column)
		}
	}
	for row := range n.updates {
		sum, count := 0.0, 0
		for _, column := range of {
			if x := n.at(column, row); x != nil {
				sum, count = sum+*x, count+1
			}
		}
		if count > 0 {
			out = append(out, sum/float64(count))
		}
	}
	return out
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
