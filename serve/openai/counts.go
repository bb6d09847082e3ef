package openai

import (
	"net/http"
	"strconv"
	"time"

	"parley/serve"
	"parley/serve/metrics"
	"parley/serve/queue"
)

// counts are what the server measures of itself.
type counts struct {
	registry           *metrics.Registry
	requests           *metrics.Counter
	cancelled          *metrics.Counter
	prompts, generated *metrics.Counter
	first, latency     *metrics.Histogram
}

func newCounts(r *metrics.Registry, q *queue.Queue) counts {
	c := counts{registry: r}
	r.Gauge("parley_num_requests_running", "Requests that are being answered.", func() float64 { n, _ := q.Counts(); return float64(n) })
	r.Gauge("parley_num_requests_waiting", "Requests that wait to be answered.", func() float64 { _, n := q.Counts(); return float64(n) })
	c.requests = r.Counter("parley_requests_total", "Requests by route and status.", "route", "code")
	c.cancelled = r.Counter("parley_requests_cancelled_total", "Requests whose client left.")
	c.prompts = r.Counter("parley_prompt_tokens_total", "Tokens of conversations and prompts.")
	c.generated = r.Counter("parley_generation_tokens_total", "Tokens that were drawn.")
	c.first = r.Histogram("parley_time_to_first_token_seconds", "From a request to the first text of its answer, reasoning included.")
	c.latency = r.Histogram("parley_e2e_request_latency_seconds", "From a request to the end of its answer.")
	return c
}

func (c *counts) add(u serve.Usage) {
	c.prompts.Add(float64(u.Prompt))
	c.generated.Add(float64(u.Drawn))
}

// measure writes the page of metrics.
func (s *Server) measure(w http.ResponseWriter, _ *http.Request) *failure {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.counts.registry.Write(w)
	return nil
}

// patience is how long a client may take to take a piece of an answer.
const patience = 30 * time.Second

// watched is a writer of answers that remembers the status, and does not wait for ever for who does not read.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(data []byte) (int, error) {
	// A writer without deadlines, as in tests, blocks as long as it likes.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(patience))
	return w.ResponseWriter.Write(data)
}

// Unwrap is for [http.ResponseController].
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) code() string { return strconv.Itoa(w.status) }
