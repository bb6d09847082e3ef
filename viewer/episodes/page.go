package episodes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A Page is a part of the list.
type Page struct {
	Episodes []Row    `json:"episodes"`
	Next     *string  `json:"next"`    // where the next page goes on; nil: this is the last
	Scanned  *Range   `json:"scanned"` // updates that were looked at
	Updates  *Range   `json:"updates"` // that have episodes
	Agents   []string `json:"agents"`
	Flags    []string `json:"flags"`
	Damaged  []string `json:"damaged"` // what could not be read
}

// A Range is updates, both ends included.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// List is the page that a filter asks for. It stops early when its time is over, so that rare episodes are found bit by bit.
func (s *Store) List(ctx context.Context, f Filter, patience time.Duration) (*Page, error) {
	page := &Page{Episodes: []Row{}, Flags: []string{}, Agents: []string{}, Damaged: []string{}}
	updates, err := s.Updates()
	if err != nil || len(updates) == 0 {
		return page, err
	}
	page.Updates = &Range{updates[0], updates[len(updates)-1]}
	end := time.Now().Add(patience)
	last := Cursor{}
	for _, update := range slices.Backward(updates) {
		if !f.wants(update) {
			continue
		}
		if page.Scanned != nil && (time.Now().After(end) || ctx.Err() != nil) {
			page.next(last)
			break
		}
		if page.Scanned == nil {
			page.Scanned = &Range{update, update}
		}
		page.Scanned.From, last = update, Cursor{update, math.MaxInt32}
		if s.some(update, f, page) {
			return page, ctx.Err()
		}
	}
	return page, ctx.Err()
}

func (p *Page) next(c Cursor) { p.Next = new(c.String()) }

// some adds the rows of an update, and says whether the page is full.
func (s *Store) some(update int, f Filter, page *Page) (full bool) {
	rows, damage := s.matching(update, f)
	page.Damaged = append(page.Damaged, damage...)
	for _, r := range rows {
		for _, flag := range r.Flags {
			if !slices.Contains(page.Flags, flag) && len(page.Flags) < 100 {
				page.Flags = append(page.Flags, flag)
			}
		}
		if !f.behind(&r) {
			continue
		}
		if len(page.Episodes) == f.Limit {
			l := page.Episodes[len(page.Episodes)-1]
			page.next(Cursor{l.Update, l.Index})
			return true
		}
		page.Episodes = append(page.Episodes, r)
	}
	return false
}

// matching are the rows of an update that a filter wants, and what cannot be read of the update.
func (s *Store) matching(update int, f Filter) (out []Row, damage []string) {
	add := func(r Row, found bool) {
		if r.Damaged != "" {
			damage = append(damage, fmt.Sprintf("update %d, episode %d cannot be read: %s", r.Update, r.Index, r.Damaged))
		}
		if found && f.matches(&r) {
			out = append(out, r)
		}
	}
	if f.Text == "" {
		rows, err := s.Rows(update)
		for i := range rows {
			add(rows[i], true)
		}
		return out, with(damage, err)
	}
	found := false
	look := func(int) func(string) bool {
		found = false
		return func(text string) bool {
			found = found || strings.Contains(strings.ToLower(text), f.Text)
			return !found
		}
	}
	err := s.each(update, look, func(r Row) { add(r, found) })
	return out, with(damage, err)
}

func with(damage []string, err error) []string {
	if err != nil {
		damage = append(damage, err.Error())
	}
	return damage
}

// Distributions are how numbers of answers lie.
type Distributions struct {
	From   int         `json:"from"`
	To     int         `json:"to"`
	Fields []Histogram `json:"fields"`
}

// A Histogram counts the values of one number.
type Histogram struct {
	Name   string    `json:"name"`
	About  string    `json:"about"`
	Edges  []float64 `json:"edges"`
	Counts []int     `json:"counts"`
	Total  int       `json:"total"`
}

// mostSpread is how many updates a distribution is of, at most, and bins how many bars it has.
const (
	mostSpread = 20
	bins       = 30
)

// Distribute counts the answers that a filter asks for: of the newest update where it names none.
func (s *Store) Distribute(f Filter) (*Distributions, error) {
	updates, err := s.Updates()
	if err != nil {
		return nil, err
	}
	d := &Distributions{Fields: []Histogram{}}
	whole := f.From == 0 && f.To == 0
	f.Cursor = nil
	values := [4][]float64{}
	n := 0
	for _, update := range slices.Backward(updates) {
		if !f.wants(update) {
			continue
		}
		if n++; n > mostSpread || whole && n > 1 {
			break
		}
		if d.To == 0 {
			d.To = update
		}
		d.From = update
		rows, _ := s.matching(update, f) // what is damaged, the list says
		for _, r := range rows {
			for _, x := range r.said {
				if f.asks() && !f.answers(x) {
					continue
				}
				for i := range values {
					values[i] = append(values[i], x.value(i))
				}
			}
		}
	}
	abouts := [4]string{"what an answer is trained on", "what an answer is reinforced with", "what the scorer gave an answer", "tokens of an answer"}
	for i, name := range fields {
		d.Fields = append(d.Fields, histogram(name, abouts[i], values[i]))
	}
	return d, nil
}

// histogram has bars of one width over all values.
func histogram(name, about string, values []float64) Histogram {
	h := Histogram{Name: name, About: about, Edges: []float64{}, Counts: []int{}, Total: len(values)}
	if len(values) == 0 {
		return h
	}
	low, high := slices.MinFunc(values, cmp.Compare), slices.MaxFunc(values, cmp.Compare)
	n := bins
	if low == high {
		room := max(0.5, math.Abs(low)/1e3) // half is nothing beside a huge number
		low, high, n = low-room, high+room, 1
	}
	width := (high - low) / float64(n)
	for i := range n + 1 {
		h.Edges = append(h.Edges, low+width*float64(i))
	}
	h.Edges[n] = high
	h.Counts = make([]int, n)
	for _, v := range values {
		h.Counts[min(max(int((v-low)/width), 0), n-1)]++
	}
	return h
}
