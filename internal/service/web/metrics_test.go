package web

import (
	"strings"
	"testing"
)

// TestTextFormat: a page as Prometheus reads it; buckets are cumulative, and a value on a bound is below it.
func TestTextFormat(t *testing.T) {
	r := &Registry{}
	r.Gauge("parley_waiting", "Requests that wait.", func() float64 { return 3 })
	requests := r.Counter("parley_requests_total", "Requests.", "route", "code")
	requests.Add(1, "/v1/models", "200")
	requests.Add(2, "/v1/chat/completions", "429")
	requests.Add(1, "/v1/models", "200")
	r.Counter("parley_cancelled_total", "Clients that left.")
	h := r.Histogram("parley_seconds", "Seconds.")
	for _, v := range []float64{0.005, 0.0051, 700} {
		h.Observe(v)
	}
	var out strings.Builder
	r.Write(&out)
	for _, want := range []string{
		"# HELP parley_waiting Requests that wait.\n# TYPE parley_waiting gauge\nparley_waiting 3\n",
		"# TYPE parley_requests_total counter\nparley_requests_total{route=\"/v1/chat/completions\",code=\"429\"} 2\nparley_requests_total{route=\"/v1/models\",code=\"200\"} 2\n",
		"parley_cancelled_total 0\n",
		"# TYPE parley_seconds histogram\nparley_seconds_bucket{le=\"0.005\"} 1\nparley_seconds_bucket{le=\"0.01\"} 2\n",
		"parley_seconds_bucket{le=\"600\"} 2\nparley_seconds_bucket{le=\"+Inf\"} 3\nparley_seconds_sum 700.0101\nparley_seconds_count 3\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
