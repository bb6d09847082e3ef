package scalars

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/runs"
)

// A server is a small MLflow, which keeps what real ones keep and refuses what they refuse.
type server struct {
	*httptest.Server
	t *testing.T

	mutex       sync.Mutex
	experiments map[string]string
	runs        []string
	names       map[string]string // of runs
	status      map[string]string
	params      map[string]string
	metrics     map[string]map[metric]bool // of a run; the same metric twice is one
	sent        int                        // metrics, every time
	down        int                        // requests to refuse with 503
	keys        map[string]string          // runs by their key
	lost        bool                       // the answer to runs/create is lost
	token       string
}

func newServer(t *testing.T) *server {
	s := &server{t: t, experiments: map[string]string{}, names: map[string]string{}, status: map[string]string{}, params: map[string]string{}, metrics: map[string]map[metric]bool{}, keys: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.down > 0 {
		s.down--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		s.refuse(w, 403, "PERMISSION_DENIED")
		return
	}
	var in struct {
		Name         string
		ExperimentID string `json:"experiment_id"`
		RunName      string `json:"run_name"`
		RunID        string `json:"run_id"`
		Status       string
		Metrics      []metric
		Params, Tags []pair
		Filter       string
		EndTime      int64 `json:"end_time"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	switch strings.TrimPrefix(r.URL.Path, "/api/2.0/mlflow/") {
	case "experiments/get-by-name":
		id, ok := s.experiments[r.URL.Query().Get("experiment_name")]
		if !ok {
			s.refuse(w, 404, "RESOURCE_DOES_NOT_EXIST")
			return
		}
		fmt.Fprintf(w, `{"experiment":{"experiment_id":%q}}`, id)
	case "experiments/create":
		s.experiments[in.Name] = fmt.Sprint(len(s.experiments) + 1)
		fmt.Fprintf(w, `{"experiment_id":%q}`, s.experiments[in.Name])
	case "runs/create":
		id := fmt.Sprintf("run%d", len(s.runs)+1)
		s.runs, s.names[id], s.status[id], s.metrics[id] = append(s.runs, id), in.RunName, "RUNNING", map[metric]bool{}
		s.keys["tags.`parley.key` = '"+in.Tags[0].Value+"'"] = id
		if s.lost {
			s.lost = false
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"run":{"info":{"run_id":%q}}}`, id)
	case "runs/search":
		if id := s.keys[in.Filter]; id != "" {
			fmt.Fprintf(w, `{"runs":[{"info":{"run_id":%q}}]}`, id)
			return
		}
		fmt.Fprint(w, `{}`)
	case "runs/update":
		s.status[in.RunID] = in.Status
		fmt.Fprint(w, `{}`)
	case "runs/log-batch":
		s.log(w, in.RunID, in.Metrics, in.Params)
	default:
		s.t.Errorf("asked for %s", r.URL.Path)
	}
}

func (s *server) log(w http.ResponseWriter, run string, metrics []metric, params []pair) {
	if len(metrics) > 1000 || len(params) > 100 || s.metrics[run] == nil {
		s.refuse(w, 400, "INVALID_PARAMETER_VALUE")
		return
	}
	for _, m := range metrics {
		s.metrics[run][m] = true
		s.sent++
	}
	for _, p := range params {
		s.params[p.Key] = p.Value
	}
	fmt.Fprint(w, `{}`)
}

func (s *server) refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error_code":%q,"message":"no"}`, code)
}

// history lists a metric of a run as step=value.
func (s *server) history(run, key string) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var out []string
	for m := range s.metrics[run] {
		if m.Key == key {
			out = append(out, fmt.Sprintf("%d=%g", m.Step, m.Value))
		}
	}
	slices.Sort(out)
	return out
}

// notes collects what is said.
type notes struct {
	mutex sync.Mutex
	list  []string
}

func (n *notes) add(s string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.list = append(n.list, s)
}

func (n *notes) all() string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return strings.Join(n.list, "\n")
}

var created = time.Unix(1767322800, 0).UTC()

// recipe has a key whose value is too long for the server.
var recipe = "name: tiny\nseed: 1\ntraining:\n  updates: 3\nteam:\n  prompts:\n    first: '" + strings.Repeat("x", 600) + "'\nstop: [a, b]\n"

// start opens the run in dir, new or not, and lets a tracker follow it.
func start(t *testing.T, dir string, o MLflowOptions, said *notes) *runs.Run {
	t.Helper()
	run, err := runs.Create(dir, runs.Meta{Created: created, Recipe: recipe, Task: "sums", Seed: 1})
	if err != nil {
		if run, err = runs.Open(dir); err != nil {
			t.Fatal(err)
		}
	}
	run.Follow(follow(t.Context(), dir, o, said.add, time.Millisecond, 2*time.Second))
	if _, _, err := run.Restore(runs.Restoring{Load: func(string, []byte) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	return run
}

func update(t *testing.T, run *runs.Run, n int, checkpoint bool) {
	t.Helper()
	err := run.AppendMetrics(n, map[string]any{"update": n, "reward": []float64{float64(n) / 2}, "kl (base)": 0.5})
	if err == nil && checkpoint {
		err = run.Checkpoint(n, map[string]int{"updates": n}, func(string) error { return nil })
	}
	if err == nil {
		err = run.AppendTiming(map[string]any{"update": n, "seconds": 1.5})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func finishRun(t *testing.T, run *runs.Run) {
	t.Helper()
	if err := run.WriteReport(runs.Report{Gain: 0.5, Rows: []runs.Row{{System: "trained", Score: 0.75}}}, "", nil); err != nil {
		t.Fatal(err)
	}
	run.Close()
}

// TestFollow: a run that is interrupted and goes on is one run on the server, with every number once; then it is finished there too.
func TestFollow(t *testing.T) {
	s, dir, said := newServer(t), t.TempDir(), &notes{}
	s.token = "secret"
	o := MLflowOptions{URL: s.URL, Experiment: "teams", Name: "tiny-s1", Token: "secret"}
	run := start(t, dir, o, said)
	update(t, run, 1, true)
	update(t, run, 2, false)
	run.Close()
	if s.status["run1"] != "KILLED" {
		t.Errorf("an interrupted run is %s", s.status["run1"])
	}
	run = start(t, dir, o, said)
	update(t, run, 2, true)
	update(t, run, 3, true)
	finishRun(t, run)
	finishRun(t, start(t, dir, o, said)) // a finished run that is resumed
	if len(s.runs) != 1 || s.names["run1"] != "tiny-s1" || s.experiments["teams"] == "" || s.status["run1"] != "FINISHED" || said.all() != "" {
		t.Errorf("runs %v, experiments %v, status %v, notes %q", s.runs, s.experiments, s.status, said.all())
	}
	for key, want := range map[string][]string{
		"reward/1": {"1=0.5", "2=1", "3=1.5"}, "kl _base_": {"1=0.5", "2=0.5", "3=0.5"}, "timing/seconds": {"1=1.5", "2=1.5", "3=1.5"},
		"results/trained/score": {"3=0.75"}, "results/gain": {"3=0.5"},
	} {
		if got := s.history("run1", key); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if s.params["training.updates"] != "3" || s.params["name"] != "tiny" || len(s.params["team.prompts.first"]) != 500 || s.params["stop"] != "[a b]" {
		t.Errorf("parameters %v", s.params)
	}
}

// TestServerAway: while the server does not answer, training goes on; one note says so, and all is sent when it answers again, to one run even
// where the server made it and its answer was lost.
func TestServerAway(t *testing.T) {
	s, said := newServer(t), &notes{}
	s.down, s.lost = 5, true
	run := start(t, t.TempDir(), MLflowOptions{URL: s.URL, Experiment: "x"}, said)
	for n := 1; n <= 4; n++ {
		update(t, run, n, true)
	}
	finishRun(t, run)
	if got := s.history("run1", "reward/1"); len(got) != 4 || len(s.runs) != 1 || s.status["run1"] != "FINISHED" {
		t.Errorf("sent %v, status %v", got, s.status)
	}
	if strings.Count(said.all(), "cannot be reached") != 1 {
		t.Errorf("notes %q", said.all())
	}
}

// TestServerGone: a run whose server never answers ends as it would without it, says how to send it later, and Send does that.
func TestServerGone(t *testing.T) {
	s, dir, said := newServer(t), t.TempDir(), &notes{}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	run, err := runs.Create(dir, runs.Meta{Created: created, Recipe: recipe})
	if err != nil {
		t.Fatal(err)
	}
	run.Follow(follow(t.Context(), dir, MLflowOptions{URL: gone.URL, Experiment: "x"}, said.add, time.Millisecond, 50*time.Millisecond))
	update(t, run, 1, true)
	finishRun(t, run)
	if !strings.Contains(said.all(), "later: parley run export "+dir+" --mlflow "+gone.URL) {
		t.Errorf("notes %q", said.all())
	}
	for range 2 { // the second time there is nothing left to send
		if id, err := SendMLflow(t.Context(), dir, MLflowOptions{URL: s.URL, Experiment: "x", Name: "later"}); err != nil || id != "run1" {
			t.Fatal(id, err)
		}
	}
	if got := s.history("run1", "reward/1"); !reflect.DeepEqual(got, []string{"1=0.5"}) || s.status["run1"] != "FINISHED" || len(s.runs) != 1 {
		t.Errorf("sent %v, status %v, runs %v", got, s.status, s.runs)
	}
	if _, err := SendMLflow(t.Context(), dir, MLflowOptions{URL: gone.URL, Experiment: "x"}); err == nil {
		t.Error("nothing was sent, and nobody says so")
	}
}

// TestRefused: a server that refuses for good is not asked again.
func TestRefused(t *testing.T) {
	s, said := newServer(t), &notes{}
	s.token = "secret"
	run := start(t, t.TempDir(), MLflowOptions{URL: s.URL, Experiment: "x", Token: "wrong"}, said)
	update(t, run, 1, true)
	update(t, run, 2, true)
	run.Close()
	if strings.Count(said.all(), "\n") != 0 || !strings.Contains(said.all(), "PERMISSION_DENIED: no") {
		t.Errorf("notes %q", said.all())
	}
}

// TestRedirected: numbers and the token are not taken elsewhere; where the server points is said, once.
func TestRedirected(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost || r.Header.Get("Authorization") != "" {
			t.Errorf("%s with the token %q", r.Method, r.Header.Get("Authorization"))
		}
	}))
	defer elsewhere.Close()
	pointer := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/x", http.StatusMovedPermanently))
	defer pointer.Close()
	c := newClient(pointer.URL, "secret")
	if err := c.post(t.Context(), "runs/update", map[string]int{}, nil); err == nil || !strings.Contains(err.Error(), `redirects to "`+elsewhere.URL) || !lasting(err) {
		t.Errorf("%v", err)
	}
	if err := c.get(t.Context(), "experiments/get-by-name", nil, new(struct{})); err == nil {
		t.Error("an empty page is an answer")
	}
}

// TestParams: keys are told with their values, and a text that no recipe can be is not even parsed.
func TestParams(t *testing.T) {
	if got := params("name: x\nteam: {turns: 2}\n"); len(got) != 2 || got[1] != (pair{"team.turns", "2"}) {
		t.Errorf("%v", got)
	}
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		laughs += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for _, text := range []string{strings.Repeat("[", 40_000), strings.Repeat("a: 1\n", 40_000), laughs} {
		if got := params(text); got != nil {
			t.Errorf("%.40q: %d keys", text, len(got))
		}
	}
}

// TestBatches: no request has more numbers than the server takes, and all arrive.
func TestBatches(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	run, err := runs.Create(dir, runs.Meta{Created: created, Recipe: recipe})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 5; n++ {
		many := map[string]any{"update": n}
		for i := range 300 * n {
			many[fmt.Sprint("m", i)] = i
		}
		if err := run.AppendMetrics(n, many); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	if _, err := SendMLflow(t.Context(), dir, MLflowOptions{URL: s.URL, Experiment: "x"}); err != nil {
		t.Fatal(err)
	}
	if s.sent != 300*15 {
		t.Errorf("%d numbers were sent, want %d", s.sent, 300*15)
	}
	data, err := os.ReadFile(filepath.Join(dir, "mlflow.json"))
	var st state
	if err != nil || json.Unmarshal(data, &st) != nil || st.Sent != 5 || st.Run != "run1" || st.URL != s.URL {
		t.Errorf("state %s, %v", data, err)
	}
}
