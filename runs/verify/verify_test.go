package verify

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/runs"
	"parley/runs/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finishedRun is a run of three updates, with everything that a verification looks at.
func finishedRun(t testing.TB) string {
	t.Helper()
	r, err := runs.Create(filepath.Join(t.TempDir(), "r"), runs.Meta{Name: "r", Keep: 2})
	must(t, err)
	for u := 1; u <= 3; u++ {
		must(t, r.WriteEpisodes(u, func(enc func(any) error) error { return enc(fmt.Sprintf("said in update %d", u)) }))
		must(t, r.AppendMetrics(u, map[string]any{"update": u, "reward": 0.5 * float64(u)}))
		must(t, r.Checkpoint(u, map[string]int{"updates": u}, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "adapter"), fmt.Appendf(nil, "weights %d", u), 0o644)
		}))
	}
	must(t, r.WriteStream("evaluation/trained-000003.jsonl.zst", func(w io.Writer) error {
		return store.WriteLines(w, func(enc func(any) error) error { return enc(map[string]any{"index": 0, "score": 0.5}) })
	}))
	must(t, r.WriteDir("adapters", func(dir string) error { return os.WriteFile(filepath.Join(dir, "adapter"), []byte("weights 3"), 0o644) }))
	must(t, r.WriteReport(runs.Report{Updates: 3}, "text", nil))
	must(t, r.Close())
	return r.Dir()
}

// copyOf copies a run into a new folder.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// TestVerify: a run that nobody touched is fine, also one that goes on after it was cut back, and one whose process was killed.
func TestVerify(t *testing.T) {
	dir := finishedRun(t)
	whole := func(name string) {
		t.Helper()
		if v := Run(dir); !v.OK || len(v.Problems) > 0 || len(v.Checked) < 3 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	whole("as it was written")
	r, err := runs.Open(dir)
	must(t, err)
	must(t, os.RemoveAll(runs.CheckpointDir(dir, 3)))
	must(t, os.Remove(filepath.Join(dir, "report.json")))
	update, _, err := r.Restore(runs.Restoring{Load: func(string, []byte) error { return nil }})
	if must(t, err); update != 2 {
		t.Fatalf("restored to update %d", update)
	}
	whole("cut back")
	must(t, r.AppendMetrics(3, map[string]any{"update": 3}))
	must(t, r.Close())
	whole("gone on")
	f, err := os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"update":4,"rew`)
	must(t, err)
	must(t, f.Close())
	whole("killed")
}

// TestVerifyFindsDamage changes every byte of every file that is checked, cuts each file at every byte, and removes it: each is found, and
// the problem names the file, or the checkpoint that it belongs to.
func TestVerifyFindsDamage(t *testing.T) {
	dir := copyOf(t, finishedRun(t))
	for _, name := range []string{
		"metrics.jsonl", "checksums.jsonl", "episodes/000002.jsonl.zst", "checkpoints/000003/adapter", "checkpoints/000003/state.json", "adapters/adapter",
		"evaluation/trained-000003.jsonl.zst",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		good, err := os.ReadFile(path)
		must(t, err)
		found := func(what string) {
			t.Helper()
			if v := Run(dir); v.OK || len(v.Problems) == 0 {
				t.Errorf("%s of %s is not found", what, name)
			}
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 1
			must(t, os.WriteFile(path, bad, 0o644))
			found(fmt.Sprintf("a change of byte %d", i))
			must(t, os.WriteFile(path, good[:i], 0o644))
			found(fmt.Sprintf("a cut at byte %d", i))
		}
		must(t, os.WriteFile(path, good, 0o644))
	}
	for _, name := range []string{"run.json", "metrics.jsonl", "checksums.jsonl", "episodes/000001.jsonl.zst", "checkpoints/000003/adapter"} {
		gone := copyOf(t, dir)
		must(t, os.Remove(filepath.Join(gone, filepath.FromSlash(name))))
		if v := Run(gone); v.OK {
			t.Errorf("%s was removed: %+v", name, v)
		}
	}
}

// TestVerifyNamesLostLines: a line that is missing in the middle, or stands twice, is named.
func TestVerifyNamesLostLines(t *testing.T) {
	for want, edit := range map[string]func(lines []string) []string{
		"metrics.jsonl, line 2: it is that of update 3; expected that of update 2": func(l []string) []string { return []string{l[0], l[2]} },
		"metrics.jsonl, line 3: it is that of update 2; expected that of update 3": func(l []string) []string { return []string{l[0], l[1], l[1], l[2]} },
		"metrics.jsonl, line 2: it is damaged; expected the line of update 2":      func(l []string) []string { return []string{l[0], "{\n", l[2]} },
	} {
		dir := copyOf(t, finishedRun(t))
		path := filepath.Join(dir, "metrics.jsonl")
		data, err := os.ReadFile(path)
		must(t, err)
		lines := strings.SplitAfter(string(data), "\n")
		must(t, os.WriteFile(path, []byte(strings.Join(edit(lines[:3]), "")), 0o644))
		if v := Run(dir); v.OK || !slices.Contains(v.Problems, want) {
			t.Errorf("problems %q, want %q", v.Problems, want)
		}
	}
}

// TestVerifyPanels: the answers of a panel are there, and have the scores that metrics.jsonl says.
func TestVerifyPanels(t *testing.T) {
	for what, c := range map[string]struct {
		score  float64
		update int
		want   string
	}{
		"as it is":      {0.25, 1, ""},
		"another score": {0.5, 1, "evaluation/panel-000001.jsonl.zst: the mean of its scores is 0.5, metrics.jsonl says 0.25"},
		"not there":     {0.25, 2, "evaluation/panel-000001.jsonl.zst: it is missing"},
	} {
		r, err := runs.Create(filepath.Join(t.TempDir(), "r"), runs.Meta{Name: "r"})
		must(t, err)
		must(t, r.WriteEpisodes(1, func(enc func(any) error) error { return enc("said") }))
		must(t, r.WriteStream(store.AnswersFile(store.PanelSystem, c.update), func(w io.Writer) error {
			return store.WriteLines(w, func(enc func(any) error) error { return enc(map[string]float64{"score": c.score}) })
		}))
		must(t, r.AppendMetrics(1, map[string]any{"update": 1, "panel": map[string]float64{"score": 0.25}}))
		must(t, r.Close())
		if v := Run(r.Dir()); strings.Join(v.Problems, "; ") != c.want {
			t.Errorf("%s: %q, want %q", what, v.Problems, c.want)
		}
	}
}
