package web

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// A Registry holds metrics. Names are those of other servers of language models where the meaning is the same. No label holds text of users. Its
// methods and theirs are safe for concurrent use.
type Registry struct {
	mu     sync.Mutex
	metric []metric
}

type metric interface{ write(w io.Writer) }

// A head is what is said before the values of a metric.
type head struct{ name, help, kind string }

func (h head) write(w io.Writer) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", h.name, h.help, h.name, h.kind)
}

// Write writes all metrics.
func (r *Registry) Write(w io.Writer) {
	r.mu.Lock()
	all := slices.Clone(r.metric)
	r.mu.Unlock()
	for _, m := range all {
		m.write(w)
	}
}

func (r *Registry) add(m metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metric = append(r.metric, m)
}

// Gauge adds a value that is asked for when it is written.
func (r *Registry) Gauge(name, help string, value func() float64) {
	r.add(gauge{head{name, help, "gauge"}, value})
}

type gauge struct {
	head
	value func() float64
}

func (g gauge) write(w io.Writer) {
	g.head.write(w)
	fmt.Fprintf(w, "%s %g\n", g.name, g.value())
}

// A Counter only grows. It has a value for each combination of its labels' values.
type Counter struct {
	head
	labels []string

	mu     sync.Mutex
	values map[string]float64 // by the labels as they are written
}

// Counter adds a counter, whose name ends in _total. One without labels begins at 0.
func (r *Registry) Counter(name, help string, labels ...string) *Counter {
	c := &Counter{head: head{name, help, "counter"}, labels: labels, values: map[string]float64{}}
	if len(labels) == 0 {
		c.values[""] = 0
	}
	r.add(c)
	return c
}

// Add adds n to the value with these labels, in the order in which they were named.
func (c *Counter) Add(n float64, labels ...string) {
	var parts []string
	for i, name := range c.labels {
		parts = append(parts, fmt.Sprintf("%s=%q", name, labels[i]))
	}
	key := ""
	if len(parts) > 0 {
		key = "{" + strings.Join(parts, ",") + "}"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] += n
}

func (c *Counter) write(w io.Writer) {
	c.head.write(w)
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []string
	for k := range c.values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(w, "%s%s %g\n", c.name, k, c.values[k])
	}
}

// A Histogram counts values by upper bounds.
type Histogram struct {
	head
	bounds []float64 // ascending

	mu     sync.Mutex
	counts []uint64 // of values up to each bound, and of all others
	sum    float64
}

// Histogram adds a histogram of seconds, from 5 ms to 10 minutes.
func (r *Registry) Histogram(name, help string) *Histogram {
	bounds := []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
	h := &Histogram{head: head{name, help, "histogram"}, bounds: bounds, counts: make([]uint64, len(bounds)+1)}
	r.add(h)
	return h
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[i]++
	h.sum += v
}

func (h *Histogram) write(w io.Writer) {
	h.head.write(w)
	h.mu.Lock()
	defer h.mu.Unlock()
	var n uint64
	for i, bound := range h.bounds {
		n += h.counts[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", h.name, bound, n)
	}
	n += h.counts[len(h.bounds)]
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", h.name, n, h.name, h.sum, h.name, n)
}
