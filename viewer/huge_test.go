package viewer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rewrite changes a text file of a run.
func rewrite(t *testing.T, name string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	now := change(string(data))
	if now == string(data) {
		t.Fatalf("%s is as it was", name)
	}
	if err := os.WriteFile(name, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// partsOf are the routes of a run that need no more than its name.
var partsOf = []string{"", "/metrics", "/recipe", "/diagnostics", "/timeline", "/costs", "/episodes", "/episodes?reward_min=1", "/distributions", "/problems", "/problem?id=sums-train-000800", "/swaps", "/questions", "/contribution", "/episodes/1/0", "/episodes/2/0"}

// TestHugeNumbers: numbers whose sums no float holds take no route away, neither of the run that has them nor of others.
func TestHugeNumbers(t *testing.T) {
	root := copied(t, "magrpo-tiny", "marloo-tiny")
	dir := filepath.Join(root, "magrpo-tiny")
	number := regexp.MustCompile(`"(reward|advantage|score)":-?[0-9.e-]+`)
	rewards, digits := regexp.MustCompile(`"rewards":\[[^\]]*\]`), regexp.MustCompile(`[0-9.e-]+`)
	huge := func(list []byte) []byte {
		return append([]byte(`"rewards":`), digits.ReplaceAll(list[len(`"rewards":`):], []byte("1.7e308"))...)
	}
	for update := 1; update <= 2; update++ {
		lines := episodeLines(t, dir, update)
		for i := range lines {
			lines[i] = rewards.ReplaceAllFunc(number.ReplaceAll(lines[i], []byte(`"$1":1.7e308`)), huge)
		}
		if !bytes.Contains(lines[0], []byte("1.7e308")) {
			t.Fatal("no number is huge")
		}
		writeEpisodes(t, dir, update, lines)
	}
	list := regexp.MustCompile(`"(reward|return)":\[[^\]]*\]`)
	rewrite(t, filepath.Join(dir, "metrics.jsonl"), func(s string) string {
		return regexp.MustCompile(`"tokens":\d+`).ReplaceAllString(list.ReplaceAllString(s, `"$1":[1.7e308,1.7e308]`), `"tokens":1.7e308`)
	})
	rewrite(t, filepath.Join(dir, "timing.jsonl"), func(s string) string {
		return regexp.MustCompile(`"seconds":[0-9.e-]+`).ReplaceAllString(s, `"seconds":1.7e308`)
	})
	rewrite(t, filepath.Join(dir, "trace.json"), func(s string) string {
		return regexp.MustCompile(`"ts":[0-9.e+-]+`).ReplaceAllStringFunc(s, func(string) string { return `"ts":1.7e308` }) + `{"cat":"update","ts":-1.7e308,"dur":1,"args":{"update":3}}` + "\n"
	})
	s := serve(t, options(root))
	var all struct {
		Runs []struct {
			ID    string
			Spark []float64
		}
	}
	get(t, s, "/api/runs", &all)
	if len(all.Runs) != 2 || len(all.Runs[0].Spark) != 2 || len(all.Runs[1].Spark) != 2 {
		t.Errorf("the list is %+v", all)
	}
	for _, part := range partsOf {
		if status, body := ask(t, s, http.MethodGet, "/api/runs/magrpo-tiny"+part, ""); status != http.StatusOK || !json.Valid([]byte(body)) {
			t.Errorf("%s: %d %.200s", part, status, body)
		}
	}
	for _, x := range []string{"update", "tokens", "seconds"} {
		if status, body := ask(t, s, http.MethodGet, "/api/compare?run=magrpo-tiny&run=marloo-tiny&x="+x, ""); status != http.StatusOK {
			t.Errorf("over %s: %d %.200s", x, status, body)
		}
	}
	var d struct {
		Fields []struct {
			Edges  []float64
			Counts []int
			Total  int
		}
	}
	get(t, s, "/api/runs/magrpo-tiny/distributions", &d)
	for _, f := range d.Fields {
		sum := 0
		for _, n := range f.Counts {
			sum += n
		}
		if f.Total == 0 || sum != f.Total || f.Edges[0] >= f.Edges[len(f.Edges)-1] {
			t.Errorf("a distribution is %+v", f)
		}
	}
}

// TestOpeningReadsLittle: what the page asks when it opens a run of 1,000 updates reads the newest episodes and no others, which would be named here as
// damaged. Nothing of it but the curves is longer than it is of a run of ten updates.
func TestOpeningReadsLittle(t *testing.T) {
	asked := func(updates int) map[string]string {
		root := longRun(t, updates, 6)
		for update := 1; update <= updates-6; update++ {
			if err := os.WriteFile(filepath.Join(root, "long", "episodes", fmt.Sprintf("%06d.jsonl.zst", update)), []byte("not to be read"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, answers := serve(t, options(root)), map[string]string{}
		for _, path := range []string{"/api/runs", "/api/runs/long", "/api/runs/long/metrics", "/api/runs/long/diagnostics", "/api/runs/long/costs", "/api/runs/long/distributions", "/api/runs/long/episodes?limit=500", "/api/runs/long/episodes/N/0"} {
			status, body := ask(t, s, http.MethodGet, strings.Replace(path, "N", fmt.Sprint(updates), 1), "")
			if status != http.StatusOK || strings.Contains(body, "jsonl.zst") {
				t.Errorf("%s: %d %.300s", path, status, body)
			}
			answers[path] = body
		}
		if _, body := ask(t, s, http.MethodGet, "/api/runs/long/episodes?to=1", ""); !strings.Contains(body, "jsonl.zst") {
			t.Errorf("an update that is read and damaged is not named: %.300s", body)
		}
		return answers
	}
	long, short := asked(1000), asked(10)
	for path, body := range long {
		if most := len(short[path]) + len(short[path])/4 + 2000; !strings.HasSuffix(path, "metrics") && len(body) > most {
			t.Errorf("%s has %d bytes, %d of a short run", path, len(body), len(short[path]))
		}
	}
	if n := len(long["/api/runs/long/metrics"]); n > 1<<20 {
		t.Errorf("curves have %d bytes", n)
	}
}

// TestStrangeFiles: what stands where a file of a run belongs is said as damage, and not as a mistake of the server.
func TestStrangeFiles(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	dir := filepath.Join(root, "magrpo-tiny")
	s := serve(t, options(root))
	var time struct{ Updates []struct{ Update int } }
	rewrite(t, filepath.Join(dir, "trace.json"), func(text string) string {
		first, rest, _ := strings.Cut(text, "\n")
		return first + "\n" + `{"name":"` + strings.Repeat("x", 200_000) + `"},` + "\n" + rest
	})
	if get(t, s, "/api/runs/magrpo-tiny/timeline", &time); len(time.Updates) != 2 {
		t.Errorf("beside a long line are updates %+v", time)
	}
	for _, name := range []string{"trace.json", "diagnostics.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"/timeline", "/diagnostics"} {
		if status, body := ask(t, s, http.MethodGet, "/api/runs/magrpo-tiny"+part, ""); status != http.StatusConflict || !strings.Contains(body, ".json: is a folder") {
			t.Errorf("%s: %d %s", part, status, body)
		}
	}
	lines := episodeLines(t, dir, 2)
	for number, says := range map[string]string{`"sample":1099511627776`: "sample 1099511627776", `"sample":-1`: "sample -1"} {
		name, _, _ := strings.Cut(number, ":")
		line := regexp.MustCompile(name+`:\d+,`).ReplaceAll(lines[1], nil)
		lines[0] = bytes.Replace(line, []byte(`"turn":0`), []byte(number+`,"turn":0`), 1)
		lines[0] = bytes.Replace(lines[0], []byte(`"index":1`), []byte(`"index":0`), 1)
		writeEpisodes(t, dir, 2, lines)
		if status, body := ask(t, s, http.MethodGet, "/api/runs/magrpo-tiny/episodes/2/0", ""); status != http.StatusConflict || !strings.Contains(body, says) {
			t.Errorf("%s: %d %.300s", number, status, body)
		}
	}
	lines[0] = []byte(`[]`)
	writeEpisodes(t, dir, 2, lines)
	if status, body := ask(t, s, http.MethodGet, "/api/runs/magrpo-tiny/episodes/2/0", ""); status != http.StatusConflict || !strings.HasSuffix(strings.TrimSpace(body), `line 1: an episode cannot be array"}}`) {
		t.Errorf("%d %s", status, body)
	}
}
