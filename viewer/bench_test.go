package viewer_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"parley/viewer"
)

// longRun is a run of many updates, of which the last ones have 256 episodes of 8 answers.
func longRun(b testing.TB, updates, withEpisodes int) string {
	b.Helper()
	root := b.TempDir()
	dir := filepath.Join(root, "long")
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "runs", "magrpo-tiny"))))
	packed := map[string][]byte{}
	for _, name := range []string{"metrics.jsonl", "timing.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(err)
		line, _, _ := bytes.Cut(data, []byte("\n"))
		var all []byte
		for update := 1; update <= updates; update++ {
			all = append(append(all, bytes.Replace(line, []byte(`{"update":1,`), fmt.Appendf(nil, `{"update":%d,`, update), 1)...), '\n')
		}
		packed[name] = all
	}
	lines := episodeLines(b, dir, 1)
	for update := updates - withEpisodes + 1; update <= updates; update++ {
		var many [][]byte
		for i := range 256 {
			line := bytes.Replace(lines[i%len(lines)], []byte(`"update":1,`), fmt.Appendf(nil, `"update":%d,`, update), 1)
			many = append(many, bytes.Replace(line, fmt.Appendf(nil, `"index":%d`, i%len(lines)), fmt.Appendf(nil, `"index":%d`, i), 1))
		}
		writeEpisodes(b, dir, update, many)
	}
	for name, data := range packed {
		must(os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return root
}

// BenchmarkOpening asks what the page asks when it opens a long run for the first time, and says how much is sent.
func BenchmarkOpening(b *testing.B) {
	const updates, some = 1000, 6
	root := longRun(b, updates, some)
	for _, path := range []string{
		"/api/runs", "/api/runs/long", "/api/runs/long/metrics", "/api/runs/long/diagnostics", "/api/runs/long/costs",
		fmt.Sprintf("/api/runs/long/episodes?from=%d&to=%d&limit=500", updates-4, updates), "/api/runs/long/episodes?limit=500",
		"/api/runs/long/distributions", fmt.Sprintf("/api/runs/long/episodes/%d/0", updates),
	} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			sent := 0
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				viewer.New(options(root)).Handler().ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
				sent = w.Body.Len()
			}
			b.ReportMetric(float64(sent), "B-sent/op")
		})
	}
}
