package show

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"parley/internal/service/web"
	"parley/recipe"
	"parley/rl/eval"
	"parley/runs"
	"parley/runs/compare"
	"parley/train/record"
)

// A Compare is several runs beside each other.
type Compare struct {
	Runs       []Compared          `json:"runs"`
	X          string              `json:"x"`
	Metric     string              `json:"metric"`
	Unit       string              `json:"unit"`             // of the metric, empty: it has none
	Bounds     *[2]float64         `json:"bounds,omitempty"` // the least and the most that the metric can be, where reports say it
	Metrics    []string            `json:"metrics"`          // that some run has
	Curves     []Curve             `json:"curves"`
	Bands      []Band              `json:"bands"`
	Comparison *compare.Comparison `json:"comparison"`
	Refused    string              `json:"refused"` // why held-out scores cannot be compared
	Recipe     []Compares          `json:"recipe"`
}

// A Compared is one of the runs. Runs that differ in their seeds alone are of one group.
type Compared struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Group  string `json:"group"`
	Seed   int    `json:"seed"`
	Metric string `json:"metric"` // of held-out problems
}

// TeamMean is the part that is the mean of a run's agents, where a number has one value for each of them.
const TeamMean = "mean of the agents"

// A Curve is one number of one run.
type Curve struct {
	ID   string     `json:"id"`
	Part string     `json:"part"`
	X    []float64  `json:"x"`
	Y    []*float64 `json:"y"`
}

// A Band is the mean of the runs of a group with its interval.
type Band struct {
	Group string     `json:"group"`
	Part  string     `json:"part"`
	X     []float64  `json:"x"`
	Mean  []*float64 `json:"mean"`
	Low   []*float64 `json:"low"`
	High  []*float64 `json:"high"`
	N     int        `json:"n"`
}

// Compares is a key of the recipes with its value in each run; nil: it has none. Runs of other releases may have a key that this one does not know.
type Compares struct {
	Key     string    `json:"key"`
	Values  []*string `json:"values"`
	Unknown bool      `json:"unknown,omitempty"`
}

// mostCompared is how many runs can be put beside each other.
const mostCompared = 64

// A QuestionError says what is wrong with what was asked.
type QuestionError struct{ Why string }

func (e *QuestionError) Error() string { return e.Why }

// Compare puts runs beside each other, by a number of metrics.jsonl over updates, tokens or seconds.
func (r *Root) Compare(l *recipe.Language, ids []string, metric, x, system string) (*Compare, error) {
	ids = distinct(ids)
	if len(ids) == 0 || len(ids) > mostCompared {
		return nil, &QuestionError{fmt.Sprintf("%d runs are named, expected 1 to %d", len(ids), mostCompared)}
	}
	if !slices.Contains([]string{"update", "tokens", "seconds"}, x) {
		return nil, &QuestionError{fmt.Sprintf("x is %q, expected update, tokens or seconds", x)}
	}
	c := &Compare{X: x, Metric: metric, Runs: []Compared{}, Metrics: []string{}, Curves: []Curve{}, Bands: []Band{}, Recipe: []Compares{}}
	var dirs []string
	var recipes []record.FilledRecipe
	read, errs := make([]*Metrics, len(ids)), make([]error, len(ids))
	web.Each(len(ids), runtime.GOMAXPROCS(0), func(i int) { read[i], errs[i] = r.curves(ids[i], func(s Series) bool { return s.Name == metric }) })
	for i, id := range ids {
		dir, err := r.Path(id)
		if err != nil {
			return nil, err
		}
		meta, _ := runs.Read(dir)
		row, err := r.row(id)
		if err != nil {
			return nil, err
		}
		if errs[i] != nil {
			return nil, errs[i]
		}
		dirs, recipes = append(dirs, dir), append(recipes, r.recipes.Filled(l, meta.Recipe))
		c.Runs = append(c.Runs, Compared{id, row.Name, c.group(recipes, row), row.Seed, row.Metric})
		c.draw(id, read[i])
		c.mean(id, row.Agents)
	}
	c.spread()
	c.Bounds = c.bounds(dirs)
	c.recipes(recipes)
	if len(dirs) > 1 {
		var refused *compare.RefusedError
		var err error
		if c.Comparison, err = r.compared(dirs, system); errors.As(err, &refused) {
			c.Refused = refused.Error()
		} else if err != nil {
			c.Refused = err.Error()
		}
	}
	return c, nil
}

// A lastCompared is the comparison that was asked for last: a page asks again at every update of its runs, and that changes nothing in what was measured.
type lastCompared struct {
	of    string // a stamp
	found *compare.Comparison
	err   error
}

// compared are the held-out scores of runs beside each other.
func (r *Root) compared(dirs []string, system string) (*compare.Comparison, error) {
	of := system
	for _, dir := range dirs {
		if len(runs.Inside(dir)) > 0 {
			return compare.Of(dirs, system) // of runs in folders of their own
		}
		of += "\x00" + dir + stampOf(dir, "run.json", "report.json", "evaluation")
	}
	r.mu.Lock()
	last := r.last
	r.mu.Unlock()
	if last.of != of {
		last = lastCompared{of: of}
		last.found, last.err = compare.Of(dirs, system)
		r.mu.Lock()
		r.last = last
		r.mu.Unlock()
	}
	return last.found, last.err
}

// distinct are the names without those that are there already: a run that is named twice is not two seeds.
func distinct(ids []string) (out []string) {
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// group names the runs that the last one belongs to: the first with its recipe but for the seed.
func (c *Compare) group(recipes []record.FilledRecipe, row Row) string {
	last := len(recipes) - 1
	if i := slices.IndexFunc(recipes[:last], func(other record.FilledRecipe) bool { return other.Group == recipes[last].Group }); i >= 0 {
		return c.Runs[i].Group
	}
	return strings.TrimSuffix(row.Name, fmt.Sprintf("-s%d", row.Seed))
}

// draw adds the curves of a run.
func (c *Compare) draw(id string, m *Metrics) {
	for _, s := range m.Series {
		if !slices.Contains(c.Metrics, s.Name) {
			c.Metrics = append(c.Metrics, s.Name)
		}
		if s.Name != c.Metric {
			continue
		}
		c.Unit = s.Unit
		curve := Curve{ID: id, Part: s.Part, X: []float64{}, Y: []*float64{}}
		for row, y := range s.Values {
			at, ok := m.x(c.X, row)
			if ok {
				curve.X, curve.Y = append(curve.X, at), append(curve.Y, y)
			}
		}
		c.Curves = append(c.Curves, curve)
	}
}

// bounds are what the metric can be by the reports of all runs; nil: one does not say it, or a value lies beyond, as one that was processed may.
func (c *Compare) bounds(dirs []string) *[2]float64 {
	out := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, dir := range dirs {
		report, _ := runs.ReadReport(dir)
		measures := []*eval.Measure{report.Measure}
		for also := report.Also; also != nil; also = also.Also {
			measures = append(measures, also.Measure)
		}
		i := slices.IndexFunc(measures, func(m *eval.Measure) bool { return m != nil && (m.Name == c.Metric || m.Of == c.Metric) })
		if i < 0 {
			return nil
		}
		low, high := measures[i].Low, measures[i].High
		if measures[i].Of != "" {
			low, high = measures[i].OfLow, measures[i].OfHigh
		}
		out = [2]float64{min(out[0], low), max(out[1], high)}
	}
	for _, curve := range c.Curves {
		if slices.ContainsFunc(curve.Y, func(y *float64) bool { return y != nil && (*y < out[0] || *y > out[1]) }) {
			return nil
		}
	}
	return &out
}

// mean adds what a run's agents have on average at each place: nothing, where one of them has no value, or the parts are no agents.
func (c *Compare) mean(id string, agents []string) {
	var of []Curve
	for _, one := range c.Curves {
		if one.ID == id {
			of = append(of, one)
		}
	}
	if len(of) < 2 || slices.ContainsFunc(of, func(one Curve) bool { return !slices.Contains(agents, one.Part) }) {
		return
	}
	all := Curve{ID: id, Part: TeamMean, X: of[0].X, Y: make([]*float64, len(of[0].X))}
	for row := range all.X {
		var sum float64
		known := 0
		for _, one := range of {
			if y := one.Y[row]; y != nil {
				sum, known = sum+*y, known+1
			}
		}
		if known == len(of) {
			mean := sum / float64(known)
			all.Y[row] = &mean
		}
	}
	c.Curves = append(c.Curves, all)
}

func (m *Metrics) x(of string, row int) (float64, bool) {
	switch of {
	case "tokens":
		return m.Tokens[row], true
	case "seconds":
		if m.Seconds[row] == nil {
			return 0, false
		}
		return *m.Seconds[row], true
	}
	return float64(m.Updates[row]), true
}

// spread adds the mean of every group. Curves over tokens or seconds have other places: each is read at the places of the first.
func (c *Compare) spread() {
	type key struct{ group, part string }
	var order []key
	of := map[key][]Curve{}
	for _, curve := range c.Curves {
		i := slices.IndexFunc(c.Runs, func(r Compared) bool { return r.ID == curve.ID })
		k := key{c.Runs[i].Group, curve.Part}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], curve)
	}
	for _, k := range order {
		b := Band{Group: k.group, Part: k.part, N: len(of[k]), X: of[k][0].X}
		for _, x := range b.X {
			var at []float64
			for _, curve := range of[k] {
				if y, ok := curve.at(x); ok {
					at = append(at, y)
				}
			}
			b.point(at)
		}
		c.Bands = append(c.Bands, b)
	}
}

// point adds a mean with its interval where all runs have a value: a mean of some of them goes up and down with who is in it.
func (b *Band) point(values []float64) {
	var mean, low, high *float64
	if len(values) == b.N {
		centre, i := eval.Student(values)
		mean = &centre
		if b.N > 1 {
			low, high = &i.Low, &i.High
		}
	}
	b.Mean, b.Low, b.High = append(b.Mean, mean), append(b.Low, low), append(b.High, high)
}

// at is the value of a curve at x, between two points on the line between them; ok is false where the curve does not reach.
func (c Curve) at(x float64) (y float64, ok bool) {
	const same = 1e-9
	from, _ := slices.BinarySearch(c.X, x-same)
	for i := from; i < len(c.X); i++ {
		if c.Y[i] == nil {
			continue
		}
		if math.Abs(c.X[i]-x) < same {
			return *c.Y[i], true
		}
		if c.X[i] > x {
			if i == 0 || c.Y[i-1] == nil {
				return 0, false
			}
			share := (x - c.X[i-1]) / (c.X[i] - c.X[i-1])
			return *c.Y[i-1] + share*(*c.Y[i]-*c.Y[i-1]), true
		}
	}
	return 0, false
}

// recipes lists the keys whose values differ. A recipe that this release cannot read lacks keys that its own did not know: these are no differences.
func (c *Compare) recipes(recipes []record.FilledRecipe) {
	var order []string
	known := slices.ContainsFunc(recipes, func(r record.FilledRecipe) bool { return r.Known })
	for _, r := range recipes {
		for _, key := range r.Keys {
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		row, seen := Compares{Key: key, Unknown: true}, map[string]bool{}
		for _, r := range recipes {
			v, ok := r.Values[key]
			if ok {
				row.Values = append(row.Values, &v)
				row.Unknown = row.Unknown && !r.Known
			} else {
				row.Values = append(row.Values, nil)
			}
			if ok || r.Known {
				seen[fmt.Sprint(ok, v)] = true
			}
		}
		if row.Unknown = row.Unknown && known; len(seen) > 1 {
			c.Recipe = append(c.Recipe, row)
		}
	}
}
