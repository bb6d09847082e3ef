package episodes

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Filter is what a reader wants to see of a list. Its zero value is everything.
type Filter struct {
	From, To  int // updates; 0: no bound
	Problem   string
	Agent     int // from 0, -1: any; what follows is then asked of its answers only
	Moved     string
	Flag      string // any: some flag
	Truncated bool
	Failed    bool
	Text      string // in the question or in an answer, in lower case
	bounds    [4]bound

	Limit  int
	Cursor *Cursor
}

// A Cursor is a place in the list, before which a page ends.
type Cursor struct{ Update, Index int }

func (c Cursor) String() string { return fmt.Sprintf("%d:%d", c.Update, c.Index) }

// bound is a range of a number of answers.
type bound struct {
	low, high float64
	given     bool
}

// fields are the numbers of answers that have bounds and distributions.
var fields = [4]string{"reward", "advantage", "score", "tokens"}

func (s *said) value(field int) float64 {
	return [4]float64{float64(s.reward), float64(s.advantage), float64(s.score), float64(s.tokens)}[field]
}

// usualLimit and mostLimit are how many rows a page has.
const (
	usualLimit = 50
	mostLimit  = 500
	longest    = 400 // bytes of a text that is looked for
)

// ParseFilter reads the parameters of a request. It knows no others: one that is written wrong would show everything.
func ParseFilter(q url.Values) (Filter, error) {
	p := params{q: q}
	f := Filter{
		From: p.int("from", 0, 0, math.MaxInt32), To: p.int("to", 0, 0, math.MaxInt32),
		Agent: p.int("agent", -1, 0, 1<<16), Limit: p.int("limit", usualLimit, 1, mostLimit),
		Problem: p.get("problem"), Flag: p.get("flag"), Moved: p.get("moved"), Truncated: p.yes("truncated"), Failed: p.yes("failed"),
		Text: strings.ToLower(p.get("q")),
	}
	for i, name := range fields {
		f.bounds[i] = p.bound(name)
	}
	if !slices.Contains([]string{"", "right-wrong", "wrong-right"}, f.Moved) {
		p.fail("moved is %q, expected right-wrong or wrong-right", f.Moved)
	}
	if len(f.Text) > longest {
		p.fail("q has %d bytes, expected at most %d", len(f.Text), longest)
	}
	if text := p.get("cursor"); text != "" {
		var c Cursor
		if n, err := fmt.Sscanf(text, "%d:%d", &c.Update, &c.Index); err != nil || n != 2 || c.String() != text {
			p.fail("cursor is %q, expected what a page gave as next", text)
		}
		f.Cursor = &c
	}
	p.done()
	return f, p.err
}

// params reads numbers and remembers the first that is none.
type params struct {
	q     url.Values
	known []string // the names that were read
	err   error
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// get reads a parameter, and remembers that there is one of that name.
func (p *params) get(name string) string {
	p.known = append(p.known, name)
	return p.q.Get(name)
}

// done refuses parameters that were not read, and those that are given twice.
func (p *params) done() {
	for _, name := range slices.Sorted(maps.Keys(p.q)) {
		if !slices.Contains(p.known, name) {
			slices.Sort(p.known)
			p.fail("%q is no filter, expected some of %s", name, strings.Join(p.known, ", "))
		} else if len(p.q[name]) > 1 {
			p.fail("%s is given %d times, expected once", name, len(p.q[name]))
		}
	}
}

func (p *params) int(name string, usual, low, high int) int {
	text := p.get(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		p.fail("%s is %q, expected %d to %d", name, text, low, high)
		return usual
	}
	return n
}

func (p *params) yes(name string) bool {
	text := p.get(name)
	if !slices.Contains([]string{"", "0", "1"}, text) {
		p.fail("%s is %q, expected 0 or 1", name, text)
	}
	return text == "1"
}

func (p *params) bound(name string) bound {
	b := bound{low: math.Inf(-1), high: math.Inf(1)}
	for _, end := range []struct {
		name string
		into *float64
	}{{name + "_min", &b.low}, {name + "_max", &b.high}} {
		text := p.get(end.name)
		if text == "" {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) {
			p.fail("%s is %q, expected a number", end.name, text)
		}
		*end.into, b.given = float64(narrow(x)), true // as the numbers of answers are kept: 0.7 is at least 0.7
	}
	return b
}

// wants says whether an update can have something that is looked for.
func (f *Filter) wants(update int) bool {
	return update >= f.From && (f.To == 0 || update <= f.To) && (f.Cursor == nil || update <= f.Cursor.Update)
}

// behind says whether a row is behind the cursor: newer updates come first, and smaller indices.
func (f *Filter) behind(r *Row) bool {
	return f.Cursor == nil || r.Update < f.Cursor.Update || r.Update == f.Cursor.Update && r.Index > f.Cursor.Index
}

// matches says whether a row is one, but for its text.
func (f *Filter) matches(r *Row) bool {
	if f.Problem != "" && r.Problem != f.Problem || f.Failed && r.Failed == "" {
		return false
	}
	if f.Agent < 0 && f.Flag != "" && f.Flag != "any" && !slices.Contains(r.Flags, f.Flag) || f.Agent < 0 && f.Flag == "any" && len(r.Flags) == 0 {
		return false
	}
	if !f.asks() {
		return true
	}
	return slices.ContainsFunc(r.said, f.answers)
}

// asks says whether something is asked of answers.
func (f *Filter) asks() bool {
	return f.Agent >= 0 || f.Moved != "" || f.Truncated || slices.ContainsFunc(f.bounds[:], func(b bound) bool { return b.given })
}

// answers says whether one answer is what all that is asked of answers wants.
func (f *Filter) answers(s said) bool {
	switch {
	case f.Agent >= 0 && int(s.agent) != f.Agent,
		f.Moved == "right-wrong" && !s.rightWrong, f.Moved == "wrong-right" && !s.wrongRight,
		f.Truncated && !s.truncated,
		f.Agent >= 0 && f.Flag == "any" && len(s.flags) == 0,
		f.Agent >= 0 && f.Flag != "" && f.Flag != "any" && !slices.Contains(s.flags, f.Flag):
		return false
	}
	for i, b := range f.bounds {
		if x := s.value(i); b.given && (x < b.low || x > b.high) {
			return false
		}
	}
	return true
}
