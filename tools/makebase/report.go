package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A report counts answers by the way they were written.
type report struct {
	tokens, unreadable int
	all                tally
	by                 map[string]*tally // right or wrong, by way
}

func newReport() *report { return &report{by: map[string]*tally{}} }

// add counts one answer of the given number of tokens.
func (r *report) add(way string, tokens int, readable, right bool) {
	x := 0.0
	if right {
		x = 1
	}
	if !readable {
		r.unreadable++
	}
	if r.by[way] == nil {
		r.by[way] = &tally{}
	}
	r.tokens += tokens
	r.all.add(x)
	r.by[way].add(x)
}

// String is one line: accuracy, the share without a readable answer, tokens an answer, and share and accuracy of each way.
func (r *report) String() string {
	n := float64(r.all.n)
	var b strings.Builder
	fmt.Fprintf(&b, "right %.3f, unreadable %.3f, %.1f tokens", r.all.mean(), float64(r.unreadable)/n, float64(r.tokens)/n)
	for _, way := range slices.Sorted(maps.Keys(r.by)) {
		fmt.Fprintf(&b, "; %s %.2f: %.3f", way, float64(r.by[way].n)/n, r.by[way].mean())
	}
	return b.String()
}
