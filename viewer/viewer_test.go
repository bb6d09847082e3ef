package viewer_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train/provenance"
	"parley/viewer"
	"parley/viewer/jobs"
	"parley/viewer/show"
)

const token = "secret"

// page is a built page as small as it can be.
func page() fstest.MapFS {
	return fstest.MapFS{
		"index.html":     {Data: []byte(`<!doctype html><html><head><script type="module" crossorigin src="/assets/page.js"></script><link rel="stylesheet" crossorigin href="/assets/page.css"></head><body></body></html>`)},
		"assets/page.js": {Data: []byte(`let a = "</script>"`)}, "assets/page.css": {Data: []byte(`a{}`)},
	}
}

func options(root string) viewer.Options {
	return viewer.Options{Root: root, Token: token, Version: "test", Language: language.New(), Backend: native.Backend{}, Files: page(), Poll: 5 * time.Millisecond}
}

// serve starts a server over a folder of runs.
func serve(t *testing.T, o viewer.Options) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(viewer.New(o).Handler())
	t.Cleanup(s.Close)
	return s
}

// ask asks a route with the token and returns the status and the body.
func ask(t *testing.T, s *httptest.Server, method, path, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// get asks a route that must answer, and reads its answer.
func get(t *testing.T, s *httptest.Server, path string, into any) {
	t.Helper()
	status, body := ask(t, s, http.MethodGet, path, "")
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// copied is a folder with copies of some of the runs that come with the tests.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("testdata", "runs", name))); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

type row struct {
	ID, State, Algorithm, Problem string
	Updates                       int
	Agents                        []string
	Tags                          []string
	Note                          string
}

type listed struct{ Runs []row }

type formula struct {
	Name, Formula, Filled string
	Exact                 bool
}

type seen struct{ Node, Agent int }

type episode struct {
	Update, Index int
	Problem       struct{ ID, Question string }
	Nodes         []struct {
		Node, Turn, Parent int
		Cells              []struct {
			Agent       int
			Opponent    string
			Speaker     string
			Saw         []seen
			Completions []struct {
				Completion, Tokens, Cut int
				Text                    string
				Reward, Advantage       float64
				Formula                 []formula
			}
		}
	}
}

type episodeList struct {
	Episodes []struct {
		Update, Index int
		RewardMax     float64 `json:"reward_max"`
	}
	Next *string
}

// TestEveryRoute asks every route about every run that comes with the tests: a run of each kind of algorithm and workflow.
func TestEveryRoute(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	var list listed
	get(t, s, "/api/runs", &list)
	if len(list.Runs) < 15 {
		t.Fatalf("%d runs are listed", len(list.Runs))
	}
	for _, r := range list.Runs {
		t.Run(r.ID, func(t *testing.T) {
			if len(r.Agents) == 0 || r.Algorithm == "" {
				t.Errorf("the list says %+v", r)
			}
			base := "/api/runs/" + url.PathEscape(r.ID)
			for _, part := range []string{"", "/metrics", "/recipe", "/diagnostics", "/timeline", "/costs", "/distributions", "/problems", "/contribution", "/answers"} {
				var any map[string]any
				get(t, s, base+part, &any)
			}
			var page episodeList
			get(t, s, base+"/episodes", &page)
			alone := r.Algorithm == "read" || r.Algorithm == "mutual" // they learn from no dialogues
			if some := len(page.Episodes) > 0; some != (r.Updates > 0 && !alone) {
				t.Fatalf("it has %d episodes", len(page.Episodes))
			}
			for _, e := range page.Episodes {
				checkEpisode(t, s, fmt.Sprintf("%s/episodes/%d/%d", base, e.Update, e.Index))
			}
		})
	}
}

func checkEpisode(t *testing.T, s *httptest.Server, path string) {
	t.Helper()
	var e episode
	get(t, s, path, &e)
	for _, n := range e.Nodes {
		for _, c := range n.Cells {
			for _, said := range c.Completions {
				if learned := c.Opponent == "" && c.Speaker == ""; learned != (len(said.Formula) > 0) {
					t.Errorf("%s: node %d, agent %d: learned from: %v, %d formulas", path, n.Node, c.Agent, learned, len(said.Formula))
				}
				if said.Completion > 0 || n.Node > 1 {
					continue
				}
				var strip struct {
					TextKnown bool `json:"text_known"`
					Tokens    []struct {
						Text     *string
						Inserted bool
					}
				}
				get(t, s, fmt.Sprintf("%s/tokens?node=%d&agent=%d&completion=%d", path, n.Node, c.Agent, said.Completion), &strip)
				if !strip.TextKnown || len(strip.Tokens) < said.Tokens {
					t.Errorf("%s: %d tokens, texts known: %v; the answer has %d", path, len(strip.Tokens), strip.TextKnown, said.Tokens)
				}
			}
		}
	}
}

// TestFormulas: of the algorithms whose numbers a run records, every reward and every advantage is explained by a formula that gives it.
func TestFormulas(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	for run, want := range map[string]string{
		"magrpo-tiny": "A = R − mean(R)", "magrpo-tiny-cross": "A = R − mean(R)", "chain-tiny": "A = R − mean(R)",
		"atgrpo-tiny": "A = (R − mean(R)) / σ", "c3-tiny": "A = R − mean(R of the others)", "iac-tiny": "A = R − V", "maac-tiny": "A = R − V", "ccpo-tiny": "R = 1 if r > 0, else −1",
		"malt-tiny": "A = R − ½", "sweet-tiny": "R = r₁ + γ · mean(R of what followed)", "debate-sums": "A = mean(Aₓ)",
	} {
		var page episodeList
		get(t, s, "/api/runs/"+run+"/episodes", &page)
		seen := map[string]bool{}
		for _, x := range page.Episodes {
			var e episode
			get(t, s, fmt.Sprintf("/api/runs/%s/episodes/%d/%d", run, x.Update, x.Index), &e)
			for _, n := range e.Nodes {
				for _, c := range n.Cells {
					for _, said := range c.Completions {
						for _, f := range said.Formula {
							seen[f.Formula] = true
							if !f.Exact {
								t.Errorf("%s, update %d, episode %d, node %d, agent %d: %s is not explained: %s", run, e.Update, e.Index, n.Node, c.Agent, f.Name, f.Filled)
							}
						}
					}
				}
			}
		}
		if !seen[want] {
			t.Errorf("%s has the formulas %v, not %s", run, seen, want)
		}
	}
}

// TestViews: task.view fills the problem of an episode, within bounds, and says what is wrong with it.
func TestViews(t *testing.T) {
	for view, want := range map[string]string{
		`{{.Question}} ({{.Truth}})`:              `Zoe has 61 balls. Zoe buys 28 and gives 9 to Tom. How many balls does Zoe have now? (80)|`,
		`{{.Fields.shelf}}`:                       `|prompt template, line 1, .Fields.shelf: there is no "shelf"`,
		`{{.Nope}}`:                               `|prompt template, line 1, .Nope: there is no .Nope`,
		`{{range 1000000000}}x{{end}}`:            `|prompt template: template: :1:2: executing "view" at <parley_round>: error calling parley_round: the template takes more than 100000 rounds`,
		`{{range 90000}}0123456789{{end}}`:        `01234567890123456789`,
		`{{`:                                      `|prompt template: template: view:1: unclosed action`,
		`{{if .Fields}}fields{{else}}none{{end}}`: `none|`,
	} {
		root := copied(t, "own-harness")
		file := filepath.Join(root, "own-harness", "run.json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(fmt.Sprintf("\n  view: '%s'", view))
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.Replace(data, []byte(`name: data`), append([]byte(`name: data`), quoted[1:len(quoted)-1]...), 1)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s := serve(t, options(root))
		var e struct{ Problem struct{ ID string } }
		get(t, s, "/api/runs/own-harness/episodes/1/0", &e)
		for _, path := range []string{"/api/runs/own-harness/episodes/1/0", "/api/runs/own-harness/problem?id=" + url.QueryEscape(e.Problem.ID)} {
			var got struct {
				View        string
				ViewTrouble string `json:"view_trouble"`
			}
			get(t, s, path, &got)
			if said := got.View + "|" + got.ViewTrouble; !strings.HasPrefix(said, want) || len(said) > 70_000 {
				t.Errorf("%s: %s: %.200s (%d bytes), want %s", path, view, said, len(said), want)
			}
		}
	}
}

// TestViewsOfHeldOut: a held-out problem is shown as task.view says too.
func TestViewsOfHeldOut(t *testing.T) {
	root := copied(t, "vote-panel")
	replaceIn(t, filepath.Join(root, "vote-panel", "run.json"), `\ntask:\n`, `\ntask:\n  view: 'Say {{.Truth}}'\n`)
	var got struct{ View, Truth string }
	get(t, serve(t, options(root)), "/api/runs/vote-panel/answers/0", &got)
	if got.View == "" || got.View != "Say "+got.Truth {
		t.Errorf("the problem is %+v", got)
	}
}

// replaceIn changes a text of a file that has it.
func replaceIn(t *testing.T, file, was, now string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(was)) {
		t.Fatalf("%s does not have %s: %v", file, was, err)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte(was), []byte(now), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestResumedElsewhere: a run that another release or processor has computed cannot go on here, and that is known before somebody tries.
func TestResumedElsewhere(t *testing.T) {
	r, err := language.New().Parse("x.yaml", []byte("name: x\npreset: magrpo-tiny\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	here := provenance.OfRecipe(r, native.Backend{}, "test")
	other, slow, gone := here, here, here
	other.Parley, slow.Kernels, gone.Recipe = "0.1", "none", strings.Replace(here.Recipe, "\ntask:", "\nnokey: 1\ntask:", 1)
	root := t.TempDir()
	for name, meta := range map[string]runs.Meta{"here": here, "other": other, "slow": slow, "gone": gone} {
		run, err := runs.Create(filepath.Join(root, name), meta)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	o := options(root)
	o.Jobs = &jobs.Queue{Program: "true", Now: time.Now}
	s := serve(t, o)
	for name, why := range map[string]string{"here": "", "other": "parley was 0.1, now test", "slow": "kernels was none", "gone": "nokey"} {
		var d struct{ Refused string }
		get(t, s, "/api/runs/"+name, &d)
		if !strings.Contains(d.Refused, why) || (why == "") != (d.Refused == "") {
			t.Errorf("%s cannot go on: %q, expected %q", name, d.Refused, why)
		}
		status, answer := ask(t, s, http.MethodPost, "/api/runs/"+name+"/resume", "", "X-Parley", "1")
		if (why == "") != (status == http.StatusOK) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
}

// TestWhoSawWhat: the critic of a chain reads the writer, the editor both. Of sweet-tiny the user says word for word what its prompts have too: that is not
// its earlier answer, which no prompt shows.
func TestWhoSawWhat(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	var sweet episode
	get(t, s, "/api/runs/sweet-tiny/episodes/1/0", &sweet)
	for _, n := range sweet.Nodes {
		for _, c := range n.Cells {
			if slices.ContainsFunc(c.Saw, func(seen seen) bool { return c.Agent == 1 && seen.Agent == 1 }) {
				t.Errorf("at node %d the user saw %v", n.Node, c.Saw)
			}
		}
	}
	var e episode
	get(t, s, "/api/runs/chain-tiny/episodes/1/0", &e)
	saw := map[string]bool{}
	for _, n := range e.Nodes {
		for _, c := range n.Cells {
			for _, seen := range c.Saw {
				saw[fmt.Sprint(c.Agent, " reads ", seen.Agent)] = true
			}
		}
	}
	if !saw["1 reads 0"] || !saw["2 reads 1"] || saw["0 reads 1"] {
		t.Errorf("the episode shows %v", saw)
	}
}

// TestPages: pages of any length together are the whole list, each episode once, newest update first.
func TestPages(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	var whole episodeList
	get(t, s, "/api/runs/magrpo-tiny/episodes?limit=500", &whole)
	for limit := 1; limit <= len(whole.Episodes); limit++ {
		var all []string
		for cursor := ""; ; {
			var page episodeList
			get(t, s, fmt.Sprintf("/api/runs/magrpo-tiny/episodes?limit=%d&cursor=%s", limit, cursor), &page)
			for _, e := range page.Episodes {
				all = append(all, fmt.Sprint(e.Update, ":", e.Index))
			}
			if page.Next == nil {
				break
			}
			cursor = *page.Next
		}
		for i, e := range whole.Episodes {
			if len(all) != len(whole.Episodes) || all[i] != fmt.Sprint(e.Update, ":", e.Index) {
				t.Fatalf("pages of %d are %v", limit, all)
			}
		}
	}
}

// TestFilters: a filter keeps what it says, and what it refuses is told.
func TestFilters(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	count := func(query string) int {
		var page episodeList
		get(t, s, "/api/runs/debate-sums/episodes?limit=500&"+query, &page)
		return len(page.Episodes)
	}
	all := count("")
	if n := count("reward_min=0.6"); n == 0 || n >= all {
		t.Errorf("%d of %d episodes have a reward of 0.6", n, all)
	}
	if a, b := count("from=2"), count("to=1"); a+b != all || a == 0 || b == 0 {
		t.Errorf("%d and %d of %d episodes by update", a, b, all)
	}
	if n := count("q=ANSWER"); n != all {
		t.Errorf("%d of %d episodes say answer", n, all)
	}
	if n := count("q=nobody+says+this"); n != 0 {
		t.Errorf("%d episodes say what nobody says", n)
	}
	if a, b := count("moved=right-wrong"), count("moved=wrong-right"); a == all && b == all {
		t.Error("all episodes move both ways")
	}
	for _, query := range []string{"from=x", "limit=0", "limit=501", "reward_min=NaN", "moved=up", "cursor=1", "truncated=yes", "agent=-1", "q=" + strings.Repeat("x", 500)} {
		if status, body := ask(t, s, http.MethodGet, "/api/runs/debate-sums/episodes?"+query, ""); status != http.StatusBadRequest {
			t.Errorf("%.40s: %d %s", query, status, body)
		}
	}
}

// TestDistributions: every answer of the update is counted once.
func TestDistributions(t *testing.T) {
	s := serve(t, options("testdata/runs"))
	var d struct {
		Fields []struct {
			Name   string
			Counts []int
			Edges  []float64
			Total  int
		}
	}
	get(t, s, "/api/runs/magrpo-tiny/distributions?from=1&to=1", &d)
	if len(d.Fields) != 4 {
		t.Fatalf("%d fields", len(d.Fields))
	}
	for _, f := range d.Fields {
		sum := 0
		for _, n := range f.Counts {
			sum += n
		}
		if sum != f.Total || sum != 3*8 || len(f.Edges) != len(f.Counts)+1 {
			t.Errorf("%s: %d answers in %d bars with %d edges, %d in all", f.Name, sum, len(f.Counts), len(f.Edges), f.Total)
		}
	}
}

// TestGuard: who has no token, another name for this machine or another origin gets nothing, and nobody gets out of the runs folder.
func TestGuard(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	if err := os.CopyFS(filepath.Join(root, "magrpo-tiny", "checkpoints"), os.DirFS("testdata/runs/magrpo-tiny")); err != nil { // with run.json
		t.Fatal(err)
	}
	s := serve(t, options(root))
	for _, x := range []struct {
		what, method, path string
		header             []string
		status             int
	}{
		{"no token", "GET", "/api/runs", []string{"Authorization", ""}, 401},
		{"a wrong token", "GET", "/api/runs", []string{"Authorization", "Bearer no"}, 401},
		{"a wrong token in the address", "GET", "/?token=no", nil, 401},
		{"the page without a token", "GET", "/", []string{"Authorization", ""}, 200},
		{"another name", "GET", "/", []string{"Host", "evil.example"}, 421},
		{"localhost", "GET", "/", []string{"Host", "localhost:1"}, 200},
		{"another origin", "GET", "/api/runs", []string{"Origin", "http://evil.example"}, 403},
		{"another site", "GET", "/api/runs", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a path out of the folder", "GET", "/api/runs/..%2Fmagrpo-tiny", nil, 404},
		{"an absolute path", "GET", "/api/runs/%2Ftmp", nil, 404},
		{"no run", "GET", "/api/runs/nothing", nil, 404},
		{"the checkpoints of a run", "GET", "/api/runs/magrpo-tiny%2Fcheckpoints", nil, 404},
		{"a file of the run that is no picture", "GET", "/api/runs/magrpo-tiny/pictures/run.json", nil, 404},
		{"a picture out of the run", "GET", "/api/runs/magrpo-tiny/pictures/..%2F..%2Fx.svg", nil, 404},
		{"a file out of the page", "GET", "/..%2f..%2fgo.mod", nil, 404},
		{"a question without a token", "POST", "/api/runs/magrpo-tiny/ask", []string{"X-Parley", "1", "Authorization", ""}, 401},
		{"a question without the header", "POST", "/api/runs/magrpo-tiny/ask", nil, 403},
		{"a question from another page", "POST", "/api/runs/magrpo-tiny/ask", []string{"X-Parley", "1", "Origin", "http://elsewhere.example"}, 403},
		{"a note without the header", "PUT", "/api/runs/magrpo-tiny/note", nil, 403},
		{"another method", "DELETE", "/api/runs/magrpo-tiny", nil, 404},
		{"another method of the page", "POST", "/", nil, 405},
		{"a route that is not there", "GET", "/api/none", nil, 404},
	} {
		if status, body := ask(t, s, x.method, x.path, "", x.header...); status != x.status {
			t.Errorf("%s: %d %.200s, want %d", x.what, status, body, x.status)
		}
	}
}

// TestEnter: the token in an address becomes a cookie that says nothing of it.
func TestEnter(t *testing.T) {
	s := serve(t, options(copied(t, "magrpo-tiny")))
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/?token="+token, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(cookies[0].String(), token) {
		t.Fatalf("%d %v", answer.StatusCode, cookies)
	}
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe-eval") {
		t.Errorf("the policy is %s", policy)
	}
	if status, body := ask(t, s, http.MethodGet, "/api/session", "", "Authorization", "", "Cookie", cookies[0].Name+"="+cookies[0].Value); status != http.StatusOK {
		t.Errorf("with the cookie: %d %s", status, body)
	}
}

// TestNotes: what people write about a run is kept beside the runs, and a server that only reads refuses it.
func TestNotes(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	before := names(t, filepath.Join(root, "magrpo-tiny"))
	s := serve(t, options(root))
	const note = `{"tags":["good","<b>"],"note":"look at update 2"}`
	if status, body := ask(t, s, http.MethodPut, "/api/runs/magrpo-tiny/note", note, "X-Parley", "1"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	var list listed
	get(t, serve(t, options(root)), "/api/runs", &list)
	if len(list.Runs) != 1 || len(list.Runs[0].Tags) != 2 || list.Runs[0].Note != "look at update 2" {
		t.Errorf("another server lists %+v", list)
	}
	if after := names(t, filepath.Join(root, "magrpo-tiny")); after != before {
		t.Errorf("the run has %s, it had %s", after, before)
	}
	for _, wrong := range []string{`{"tags":[""]}`, `{"note":"` + strings.Repeat("x", 20_000) + `"}`, `{"more":1}`, `no`} {
		if status, _ := ask(t, s, http.MethodPut, "/api/runs/magrpo-tiny/note", wrong, "X-Parley", "1"); status != http.StatusBadRequest {
			t.Errorf("%.30s: %d", wrong, status)
		}
	}
	o := options(root)
	o.ReadOnly = true
	if status, body := ask(t, serve(t, o), http.MethodPut, "/api/runs/magrpo-tiny/note", note, "X-Parley", "1"); status != http.StatusForbidden || !strings.Contains(body, "read_only") {
		t.Errorf("read-only: %d %s", status, body)
	}
}

func names(t *testing.T, dir string) (all string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all += e.Name() + " "
	}
	return all
}

// TestDamagedRuns: whatever a run lacks, the rest is shown and what is wrong is said.
func TestDamagedRuns(t *testing.T) {
	root := copied(t, "magrpo-tiny", "chain-tiny")
	s := serve(t, options(root))
	path := func(name string) string { return filepath.Join(root, "magrpo-tiny", filepath.FromSlash(name)) }
	change := func(name string, f func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(path(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), f(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	half := func(data []byte) []byte { return data[:len(data)/2] }
	expect := func(what, route string, status int, says string) {
		t.Helper()
		if got, body := ask(t, s, http.MethodGet, "/api/runs/magrpo-tiny"+route, ""); got != status || !strings.Contains(body, says) {
			t.Errorf("%s: %s: %d %.300s", what, route, got, body)
		}
	}
	change("episodes/000002.jsonl.zst", half)
	expect("half of an update", "/episodes", 200, `"damaged":["read `)
	expect("half of an update", "/episodes/1/0", 200, `"question"`)
	expect("half of an update", "/episodes/2/2", 409, "000002.jsonl.zst")
	change("metrics.jsonl", func(data []byte) []byte { return append(data, `{"update":3,"rew`...) })
	expect("a line that is being written", "/metrics", 200, `"updates":[1,2]`)
	change("metrics.jsonl", func(data []byte) []byte {
		first, _, _ := strings.Cut(string(data), "\n")
		return []byte(first + "\n" + `{"update":2,"rew` + "\n" + `{"update":3,"reward":[1,1]}` + "\n")
	})
	expect("a line in the middle that is damaged", "/metrics", 200, `"damaged":"metrics.jsonl is damaged after update 1`)
	expect("a line in the middle that is damaged", "/metrics", 200, `"updates":[1]`)
	change("trace.json", half)
	expect("half of a trace", "/timeline", 200, `"phases"`)
	change("diagnostics.json", half)
	expect("half of diagnostics", "/diagnostics", 409, "diagnostics.json")
	change("run.json", half)
	expect("half of run.json", "", 200, `"state":"damaged"`)
	expect("half of run.json", "/recipe", 409, "run.json")
	expect("half of run.json", "/episodes/1/0", 200, `"agent 1"`)
	if err := os.Remove(path("episodes/000001.jsonl.zst")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "chain-tiny", "episodes", "000001.jsonl.zst"), path("episodes/000001.jsonl.zst")); err != nil {
		t.Fatal(err)
	}
	expect("a link for episodes", "/episodes?from=1&to=1", 200, "is a link")
	if err := os.Symlink(filepath.Join(root, "chain-tiny"), filepath.Join(root, "linked")); err != nil {
		t.Fatal(err)
	}
	if status, body := ask(t, s, http.MethodGet, "/api/runs/linked", ""); status != http.StatusNotFound {
		t.Errorf("a link for a run: %d %s", status, body)
	}
	if err := os.RemoveAll(filepath.Join(root, "magrpo-tiny")); err != nil {
		t.Fatal(err)
	}
	for _, route := range []string{"", "/metrics", "/episodes", "/episodes/1/0", "/recipe"} {
		expect("deleted", route, 404, "not_found")
	}
}

// TestHostileTexts: what a model wrote is text, in answers and in a file with a run.
func TestHostileTexts(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	o := options(root)
	server := viewer.New(o)
	s := serve(t, o)
	asked := `{"question":"</script><script>alert(1)</script>","lines":[{"name":"<b>","text":"\u202e<!--"}],"answer":"<script>"}` + "\n"
	if err := os.WriteFile(filepath.Join(root, "magrpo-tiny", "questions.jsonl"), []byte(asked), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, body := ask(t, s, http.MethodPut, "/api/runs/magrpo-tiny/note", `{"note":"</script><script>alert(1)</script><!--","tags":["\u202e"]}`, "X-Parley", "1"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	file, err := server.Export(t.Context(), "magrpo-tiny", 10)
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	if strings.Contains(text, "alert(1)</script>") || strings.Contains(text, `"</script>"`) {
		t.Error("a text ends a script")
	}
	if strings.Contains(text, `src="/`) || strings.Contains(text, `href="/`) {
		t.Error("the file asks for another one")
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d scripts end, want the data and the code", n)
	}
	for _, has := range []string{`"/api/runs/magrpo-tiny/episodes/2/0":`, `"/api/runs/magrpo-tiny/questions":{"damaged":0,"questions":[{`, `"/api/runs/magrpo-tiny/episodes/2/0/tokens?node=0\u0026agent=0\u0026completion=0":`, `"export":true`, `let a =`} {
		if !strings.Contains(text, has) {
			t.Errorf("the file lacks %s", has)
		}
	}
}

// TestLive: a page is told of updates, of what changes, and that a run is gone.
func TestLive(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	s := serve(t, options(root))
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/runs/magrpo-tiny/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	next := func(event string) string {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == "event: "+event {
				for lines.Scan() {
					if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
						return data
					}
				}
			}
		}
		t.Fatalf("the stream ends before %s: %v", event, lines.Err())
		return ""
	}
	next("run")
	f, err := os.OpenFile(filepath.Join(root, "magrpo-tiny", "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"update":3,"reward":[0.5,0.25],"tokens":7}` + "\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if data := next("metrics"); !strings.Contains(data, `"update":3`) || !strings.Contains(data, `"reward.2":0.25`) {
		t.Errorf("the update is told as %s", data)
	}
	if err := os.RemoveAll(filepath.Join(root, "magrpo-tiny")); err != nil {
		t.Fatal(err)
	}
	if data := next("gone"); !strings.Contains(data, "gone") {
		t.Errorf("the end is told as %s", data)
	}
	for lines.Scan() {
		if lines.Text() != "" {
			t.Errorf("behind the end stands %s", lines.Text())
		}
	}
}

// gone is a client that has left before it was answered.
type gone struct{ header http.Header }

func (g gone) Header() http.Header            { return g.header }
func (gone) WriteHeader(int)                  {}
func (gone) Write([]byte) (int, error)        { return 0, io.ErrClosedPipe }
func (gone) SetWriteDeadline(time.Time) error { return nil }
func (gone) FlushError() error                { return io.ErrClosedPipe }

// TestWatchersLeave: those who leave before they hear anything make room for others.
func TestWatchersLeave(t *testing.T) {
	h := viewer.New(options(copied(t, "magrpo-tiny"))).Handler()
	left, leave := context.WithCancel(t.Context())
	leave()
	watch := func(ctx context.Context, w http.ResponseWriter, path string) {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+token)
		h.ServeHTTP(w, r)
	}
	for range 70 {
		watch(left, gone{http.Header{}}, "/api/events")
		watch(left, gone{http.Header{}}, "/api/runs/magrpo-tiny/events")
	}
	w := httptest.NewRecorder()
	watch(left, w, "/api/events")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
		t.Errorf("the next one gets %d %s", w.Code, w.Body)
	}
}

// TestCompare: seeds of one recipe are one group, with an interval; other recipes differ in keys.
func TestCompare(t *testing.T) {
	root := copied(t, "magrpo-tiny", "magrpo-tiny-cross")
	if err := os.CopyFS(filepath.Join(root, "again"), os.DirFS(filepath.Join(root, "magrpo-tiny"))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, options(root))
	var c struct {
		Runs   []struct{ ID, Group string }
		Curves []show.Curve
		Bands  []struct {
			Group string
			N     int
			Low   []*float64
		}
		Recipe []struct {
			Key    string
			Values []*string
		}
	}
	get(t, s, "/api/compare?run=magrpo-tiny&run=again&run=magrpo-tiny-cross&metric=reward&x=tokens", &c)
	if len(c.Runs) != 3 || c.Runs[0].Group != c.Runs[1].Group || c.Runs[0].Group == c.Runs[2].Group || len(c.Curves) != 9 {
		t.Errorf("runs are %+v, curves %+v", c.Runs, c.Curves)
	}
	if len(c.Bands) != 6 || c.Bands[0].N != 2 || c.Bands[0].Low[0] == nil || c.Bands[3].Low[0] != nil {
		t.Errorf("bands are %+v", c.Bands)
	}
	if a, b, mean := c.Curves[0], c.Curves[1], c.Curves[2]; mean.Part != show.TeamMean || *mean.Y[1] != (*a.Y[1]+*b.Y[1])/2 {
		t.Errorf("the mean of %+v and %+v is %+v", a, b, mean)
	}
	differs := false
	for _, r := range c.Recipe {
		differs = differs || r.Key == "group.joint" && *r.Values[0] == "aligned" && *r.Values[2] == "cross"
	}
	if !differs {
		t.Errorf("the recipes differ in %+v", c.Recipe)
	}
	for high, want := range map[float64]bool{2: true, 0.001: false} { // a value beyond what the report says is of something else
		for _, run := range []string{"magrpo-tiny", "again"} {
			report := fmt.Sprintf(`{"metric": "share of the range", "measure": {"name": "share of the range", "high": 1, "of": "reward", "of_high": %g}}`, high)
			if err := os.WriteFile(filepath.Join(root, run, "report.json"), []byte(report), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var b struct{ Bounds *[2]float64 }
		get(t, s, "/api/compare?run=magrpo-tiny&run=again&metric=reward&x=update", &b)
		if (b.Bounds != nil) != want || want && *b.Bounds != [2]float64{0, high} {
			t.Errorf("up to %g: the reward is between %v", high, b.Bounds)
		}
	}
	for _, wrong := range []string{"", "?run=magrpo-tiny&x=feet"} {
		if status, _ := ask(t, s, http.MethodGet, "/api/compare"+wrong, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, status)
		}
	}
}

// TestKeysOfOtherReleases: a key that a run's release did not know has its default and is no difference; one that this release does not know is said to be so.
func TestKeysOfOtherReleases(t *testing.T) {
	root := copied(t, "magrpo-tiny", "magrpo-tiny-cross")
	change := func(run, from, to string) {
		file := filepath.Join(root, run, "run.json")
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte(from)) {
			t.Fatalf("%s has no %s: %v", run, from, err)
		}
		if err := os.WriteFile(file, bytes.Replace(data, []byte(from), []byte(to), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("magrpo-tiny", `\n  batch_tokens: 0`, "")
	s := serve(t, options(root))
	differ := func() (keys []string) {
		var c show.Compare
		get(t, s, "/api/compare?run=magrpo-tiny&run=magrpo-tiny-cross", &c)
		for _, r := range c.Recipe {
			if keys = append(keys, r.Key); r.Unknown {
				keys[len(keys)-1] += ": " + show.NotHere
			}
		}
		return keys
	}
	older := differ()
	if len(older) == 0 || slices.Contains(older, "engine.batch_tokens") {
		t.Errorf("an older release differs in %v", older)
	}
	change("magrpo-tiny", `\nseed: 1`, `\nseed: 1\nhereafter: 5`)
	newer := differ()
	if known := slices.DeleteFunc(slices.Clone(newer), func(key string) bool { return key == "hereafter: "+show.NotHere }); !slices.Equal(known, older) || len(newer) != len(older)+1 {
		t.Errorf("a later release differs in %v, not in %v and a key that is not here", newer, older)
	}
	var view show.RecipeView
	get(t, s, "/api/runs/magrpo-tiny/recipe", &view)
	if i := slices.IndexFunc(view.Differences, func(d show.Difference) bool { return d.Key == "hereafter" }); i < 0 || view.Differences[i].Preset != show.NotHere {
		t.Errorf("from the preset it differs in %+v", view.Differences)
	}
	if slices.ContainsFunc(view.Differences, func(d show.Difference) bool { return d.Key == "engine.batch_tokens" }) {
		t.Errorf("a key that its release did not know differs: %+v", view.Differences)
	}
}

// TestHowFar: of an experiment nobody says an update of so many, which is a number of one of its runs; of a run that ends with its tokens nobody names the bound
// of updates that it is not meant to reach. What was gained has its interval, where the report compares.
func TestHowFar(t *testing.T) {
	root := t.TempDir()
	write := func(name string, v any) {
		t.Helper()
		data, err := json.Marshal(v)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	meta := func(name, training string) runs.Meta {
		return runs.Meta{Format: runs.Format, Name: name, Recipe: "name: " + name + "\ntraining: " + training + "\n"}
	}
	write("bounded/run.json", meta("bounded", "{updates: 100000, tokens: 300000}"))
	write("bounded/metrics.jsonl", map[string]any{"update": 1})
	write("plain/run.json", meta("plain", "{updates: 7, tokens: 0}"))
	write("plain/metrics.jsonl", map[string]any{"update": 1})
	write("study/run.json", meta("study", "{updates: 3}"))
	names := []string{"a-s1", "a-s2", "b-s1", "b-s2"}
	for _, name := range names {
		write("study/"+name+"/run.json", meta(name, "{updates: 3}"))
	}
	ci := [2]float64{-0.1, 0.3}
	write("study/report.json", runs.Report{
		Metric: "accuracy", Updates: 12, Runs: names, Gain: 0.1, Rows: []runs.Row{{Variant: "a", System: "off-the-shelf"}, {Variant: "a", System: "trained", Score: 0.1}},
		Comparisons: []runs.Comparison{{System: "trained", Against: "single"}, {System: "trained", Against: "off-the-shelf", Difference: 0.1, CI95: ci}},
	})
	var list struct {
		Runs []struct {
			ID       string
			Runs     int
			Planned  *int        `json:"updates_planned"`
			Tokens   *int        `json:"tokens_planned"`
			GainCI95 *[2]float64 `json:"gain_ci95"`
			Gain     *float64
		}
	}
	get(t, serve(t, options(root)), "/api/runs", &list)
	seen := 0
	for _, r := range list.Runs {
		var fine bool
		switch r.ID {
		case "bounded":
			fine = r.Planned == nil && r.Tokens != nil && *r.Tokens == 300000 && r.Runs == 0
		case "plain":
			fine = r.Planned != nil && *r.Planned == 7 && r.Tokens == nil && r.GainCI95 == nil
		case "study":
			fine = r.Planned == nil && r.Runs == 4 && r.GainCI95 != nil && *r.GainCI95 == ci
		case "study/a-s1":
			fine = r.Planned != nil && *r.Planned == 3 && r.Runs == 0
		default:
			continue
		}
		if seen++; !fine {
			t.Errorf("%+v", r)
		}
	}
	if seen != 4 {
		t.Errorf("%d of 4 runs are listed: %+v", seen, list.Runs)
	}
}

// TestRecipeCheck: every mistake of a recipe is at its place.
func TestRecipeCheck(t *testing.T) {
	s := serve(t, options(copied(t, "magrpo-tiny")))
	status, body := ask(t, s, http.MethodPost, "/api/recipe/check", `{"yaml":"name: x\ntask:\n  name: duett\nteam:\n  turnz: 2\n"}`)
	if status != http.StatusOK || !strings.Contains(body, `"ok":false`) || !strings.Contains(body, `"line":3`) || !strings.Contains(body, `"line":5`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := ask(t, s, http.MethodPost, "/api/recipe/check", `{"yaml":"preset: magrpo-tiny\nname: x\n"}`); status != http.StatusOK || !strings.Contains(body, `"ok":true`) {
		t.Errorf("%d %.300s", status, body)
	}
}

// TestSteering: who only reads starts nothing, and a recipe that is wrong or reaches outside is refused with its reason.
func TestSteering(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	o := options(root)
	o.Jobs = &jobs.Queue{Program: "true", Now: time.Now}
	s := serve(t, o)
	post := func(path, body string, status int, says string) {
		t.Helper()
		if got, answer := ask(t, s, http.MethodPost, path, body, "X-Parley", "1"); got != status || !strings.Contains(answer, says) {
			t.Errorf("%s %.60s: %d %.300s", path, body, got, answer)
		}
	}
	post("/api/start", `{"yaml":"nope: 1"}`, 400, "unknown key")
	post("/api/start", `{"yaml":"preset: magrpo-tiny\nname: x\nreward:\n  source: user\n  user:\n    command: [rm]\n"}`, 409, "command line")
	post("/api/start", `{"yaml":"preset: magrpo-tiny\nname: x\n"}`, 200, `"job":1`)
	post("/api/runs/nothing/resume", ``, 404, "nothing")
	post("/api/runs/magrpo-tiny/stop", ``, 409, "not started from this page")
	post("/api/runs/magrpo-tiny/swap", `{"update":1,"index":0,"swaps":[]}`, 400, "name an agent")
	post("/api/runs/magrpo-tiny/swap", `{"update":1,"index":0,"swaps":[{"agent":0,"with":"run","run":"../x"}]}`, 404, "gone")
	post("/api/runs/magrpo-tiny/swap", `{"update":1,"index":0,"swaps":[{"agent":0,"with":"me"}]}`, 400, "expected untrained")
	post("/api/runs/magrpo-tiny/swap", `{"update":1,"index":0,"swaps":[{"agent":0,"with":"untrained"}]}`, 200, `"what":"swap"`)
	post("/api/runs/magrpo-tiny/ask", `{"question":" "}`, 400, "is empty")
	post("/api/runs/magrpo-tiny/ask", `{"question":"`+strings.Repeat("x", 9000)+`"}`, 400, "9000 bytes")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","agent":-1}`, 400, "count from 0")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","update":-1}`, 400, "no update -1")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","temperature":1000}`, 400, "temperature")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","seed":-1}`, 400, "seed")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","trust":true}`, 400, "trust")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?","agent":"1"}`, 400, "agent cannot be string")
	post("/api/runs/magrpo-tiny/ask", `[]`, 400, "it cannot be array")
	post("/api/runs/magrpo-tiny/ask", `{"question":"?"} {"question":"?"}`, 400, "more behind the object")
	post("/api/runs/nothing/ask", `{"question":"?"}`, 404, "nothing")
	post("/api/runs/magrpo-tiny/ask", `{"question":"--trust"}`, 200, `"what":"ask"`)
	post("/api/runs/magrpo-tiny/tokens", `{"update":1,"index":0}`, 200, `"what":"tokens"`)
	post("/api/runs/magrpo-tiny/tokens", `{"update":-1,"index":0}`, 400, "updates count from 1")
	post("/api/runs/magrpo-tiny/tokens", `{"update":1,"node":0}`, 400, "node")
	post("/api/runs/nothing/tokens", `{"update":1,"index":0}`, 404, "nothing")
	post("/api/runs/magrpo-tiny/contribution", `{"problems":2}`, 200, `"what":"contribution"`)
	post("/api/runs/magrpo-tiny/contribution", `{"problems":-1}`, 400, "problems is negative")
	o.ReadOnly = true
	s = serve(t, o)
	for _, path := range []string{"/api/start", "/api/runs/magrpo-tiny/swap", "/api/runs/magrpo-tiny/ask", "/api/runs/magrpo-tiny/tokens", "/api/runs/magrpo-tiny/contribution", "/api/runs/magrpo-tiny/resume", "/api/runs/magrpo-tiny/stop"} {
		post(path, `{}`, 403, "read_only")
	}
}

// TestProgramsAreOwn: a run that does something outside goes on from the page where this user's key has marked it, and else is refused with what it does
// and the command that allows it.
func TestProgramsAreOwn(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for name, does := range map[string]string{
		"scores": "preset: magrpo-tiny\nreward: {source: user, user: {command: [sh, score.sh]}}\n",
		"speaks": "task: {name: sums}\nteam: {protocol: parallel, agents: {a: {program: [sh, speak.sh]}, b: {}}}\n",
	} {
		r, err := language.New().Parse("x.yaml", []byte("name: x\n"+does), nil)
		if err != nil {
			t.Fatal(err)
		}
		mark, err := provenance.MarkTrusted(r, string(r.YAML()))
		if err != nil || mark == "" {
			t.Fatal(err, mark)
		}
		run, err := runs.Create(filepath.Join(root, name), runs.Meta{Recipe: string(r.YAML()), Mark: mark})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	o := options(root)
	o.Jobs = &jobs.Queue{Program: "true", Now: time.Now}
	s := serve(t, o)
	var own bool
	post := func(path, body, does, command string) {
		t.Helper()
		want := []string{`"job":`}
		status := http.StatusOK
		if !own && does != "" {
			status, want = http.StatusConflict, []string{`"code":"refused"`, does, "on a command line: parley " + command}
		}
		got, answer := ask(t, s, http.MethodPost, path, body, "X-Parley", "1")
		for _, w := range want {
			if got != status || !strings.Contains(answer, w) {
				t.Errorf("own %v: %s: %d %s, want %d %q", own, path, got, answer, status, w)
			}
		}
	}
	for _, own = range []bool{true, false} {
		if !own {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		}
		const scores, speaks = "reward.user.command: runs sh score.sh", "runs sh speak.sh"
		post("/api/runs/scores/resume", ``, scores, "train --trust --resume "+filepath.Join(root, "scores"))
		post("/api/runs/scores/swap", `{"update":1,"index":0,"swaps":[{"agent":0,"with":"untrained"}]}`, scores, "run swap --trust ")
		post("/api/runs/scores/contribution", `{}`, scores, "run contribution --trust "+filepath.Join(root, "scores"))
		post("/api/runs/scores/ask", `{"question":"?"}`, "", "")
		post("/api/runs/scores/tokens", `{"update":1,"index":0}`, "", "")
		post("/api/runs/speaks/resume", ``, speaks, "train --trust --resume ")
		post("/api/runs/speaks/ask", `{"question":"what now"}`, speaks, "run ask --trust --seed 0 -- ")
		post("/api/runs/speaks/tokens", `{"update":1,"index":0}`, speaks, "run tokens --trust ")
	}
}

// TestSelfPlayIsExplained: returns of self-play have what the agent earned for itself, then and later, and answers of earlier policies are compared with
// nobody and explained by nothing.
func TestSelfPlayIsExplained(t *testing.T) {
	s := serve(t, options(filepath.Join("testdata", "runs")))
	for _, run := range []string{"kuhn-selfplay-tiny", "tictactoe-selfplay-tiny"} {
		var e struct {
			Nodes []struct {
				Cells []struct {
					Opponent    string
					Completions []struct{ Formula []struct{ Exact bool } }
				}
			}
		}
		get(t, s, "/api/runs/"+run+"/episodes/1/0", &e)
		own, earlier := 0, 0
		for _, n := range e.Nodes {
			for _, c := range n.Cells {
				f := c.Completions[0].Formula
				if c.Opponent != "" {
					earlier++
					if len(f) != 0 {
						t.Errorf("%s: an answer of %s is explained: %+v", run, c.Opponent, f)
					}
					continue
				}
				own++
				if len(f) != 2 || !f[0].Exact || !f[1].Exact {
					t.Errorf("%s: %+v", run, f)
				}
			}
		}
		if own == 0 || earlier == 0 {
			t.Errorf("%s has %d answers of the policy and %d of earlier ones", run, own, earlier)
		}
	}
}
