package serve

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"parley/internal/service/web"
)

// counts are what the server measures of itself.
type counts struct {
	registry           *web.Registry
	requests           *web.Counter
	cancelled          *web.Counter
	prompts, generated *web.Counter
	first, latency     *web.Histogram
}

func newCounts(r *web.Registry, busy func() (working, waiting int)) counts {
	c := counts{registry: r}
	r.Gauge("parley_num_requests_running", "Requests that are being answered.", func() float64 { n, _ := busy(); return float64(n) })
	r.Gauge("parley_num_requests_waiting", "Requests that wait to be answered.", func() float64 { _, n := busy(); return float64(n) })
	r.Gauge("go_goroutines", "Goroutines that exist.", func() float64 { return float64(runtime.NumGoroutine()) })
	c.requests = r.Counter("parley_requests_total", "Requests by route and status.", "route", "code")
	c.cancelled = r.Counter("parley_requests_cancelled_total", "Requests whose client left.")
	c.prompts = r.Counter("parley_prompt_tokens_total", "Tokens of conversations and prompts.")
	c.generated = r.Counter("parley_generation_tokens_total", "Tokens that were drawn.")
	c.first = r.Histogram("parley_time_to_first_token_seconds", "From a request to the first text of its answer, reasoning included.")
	c.latency = r.Histogram("parley_e2e_request_latency_seconds", "From a request to the end of its answer.")
	return c
}

// Took counts the tokens of an answer.
func (g *Gate) Took(u Usage) {
	g.counts.prompts.Add(float64(u.Prompt))
	g.counts.generated.Add(float64(u.Drawn))
}

// FirstText measures the time until what it returns is called first.
func (g *Gate) FirstText() func() {
	begun := time.Now()
	return sync.OnceFunc(func() { g.counts.first.Observe(time.Since(begun).Seconds()) })
}

// measure writes the page of metrics.
func (g *Gate) measure(w http.ResponseWriter, _ *http.Request) *Failure {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	g.counts.registry.Write(w)
	return nil
}

// watched is a writer of answers that remembers the status.
type watched struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (w *watched) WriteHeader(status int) {
	w.status, w.begun = status, true
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(data []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(data)
}

// Unwrap is for [http.ResponseController].
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) code() string { return strconv.Itoa(w.status) }

// recover answers a request whose work panicked with 500, where nothing was answered yet, and lets the panic go on: the server tells of it.
func (w *watched) recover() {
	v := recover()
	if v == nil {
		return
	}
	if v != http.ErrAbortHandler && !w.begun {
		w.Header().Set("Connection", "close") // the panic closes it: the client must not send its next request there
		write(w, Fail(http.StatusInternalServerError, "the server failed"))
		_ = http.NewResponseController(w.ResponseWriter).Flush() // the panic drops what is not on its way
	}
	panic(v)
}
