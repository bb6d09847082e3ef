package show

import (
	"fmt"
	"strings"

	"parley/runs"
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

// mostSeries bounds what a hostile line can make.
const mostSeries = 2000

// columns collects lines as columns.
type columns struct {
	m      Metrics
	at     map[int]int    // update: its row
	series map[string]int // key: its place
	sum    float64        // tokens
	agents []string
}

// Metrics reads the curves of a run. A line that is damaged ends them, and is said.
func (r *Root) Metrics(id string) (*Metrics, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	c := columns{m: Metrics{Updates: []int{}, Tokens: []float64{}, Seconds: []*float64{}, Series: []Series{}}, at: map[int]int{}, series: map[string]int{}}
	if row, err := r.row(id); err == nil {
		c.agents = row.Agents
	}
	if err := scalars.Lines(dir, c.metrics); err != nil {
		c.m.Damaged = err.Error()
	}
	if err := runs.ReadLines(dir, "timing.jsonl", c.timing); err != nil && c.m.Damaged == "" {
		c.m.Damaged = err.Error()
	}
	c.worked()
	return &c.m, nil
}

func (c *columns) metrics(line []byte) error {
	update, ok := runs.UpdateOf(line)
	list, err := scalars.Of(line)
	if !ok || err != nil {
		return fmt.Errorf("metrics.jsonl is damaged after update %d", len(c.m.Updates))
	}
	row := len(c.m.Updates)
	c.at[update] = row
	c.m.Updates = append(c.m.Updates, update)
	for _, s := range list {
		if s.Name == "tokens" {
			c.sum += s.Value
		}
		c.put(row, strings.ReplaceAll(s.Name, "/", "."), s.Value)
	}
	c.m.Tokens = append(c.m.Tokens, c.sum)
	return nil
}

func (c *columns) timing(line []byte) error {
	update, ok := runs.UpdateOf(line)
	_, list, err := scalars.OfTiming(line)
	row, known := c.at[update]
	if !ok || err != nil || !known {
		return nil // times decide nothing
	}
	for _, s := range list {
		c.put(row, strings.ReplaceAll(s.Name, "/", "."), s.Value)
	}
	return nil
}

// put sets one value; the column grows with empty places.
func (c *columns) put(row int, key string, value float64) {
	i, ok := c.series[key]
	if !ok {
		if len(c.series) >= mostSeries {
			return
		}
		i = len(c.m.Series)
		c.series[key] = i
		c.m.Series = append(c.m.Series, describe(key, c.agents))
	}
	s := &c.m.Series[i]
	for len(s.Values) <= row {
		s.Values = append(s.Values, nil)
	}
	s.Values[row] = &value
}

// worked adds up seconds, and makes all columns of one length.
func (c *columns) worked() {
	c.m.Seconds = make([]*float64, len(c.m.Updates))
	for i := range c.m.Series {
		for len(c.m.Series[i].Values) < len(c.m.Updates) {
			c.m.Series[i].Values = append(c.m.Series[i].Values, nil)
		}
	}
	i, ok := c.series["timing.seconds"]
	if !ok {
		return
	}
	sum := 0.0
	for row, x := range c.m.Series[i].Values {
		if x != nil {
			sum += *x
			c.m.Seconds[row] = new(sum)
		}
	}
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
