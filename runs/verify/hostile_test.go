package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/runs"
	"parley/runs/scalars"
	"parley/runs/store"
)

// files are those of a run that others read.
var files = []string{
	"run.json", "report.json", "diagnostics.json", "metrics.jsonl", "checksums.jsonl", "timing.jsonl", "trace.json",
	"checkpoints/000003/manifest.json", "checkpoints/000003/state.json",
}

// FuzzRunFolder: whatever is in one of a run's files, all that read the folder come to an end with a result or an error, and leave the file as
// it is.
func FuzzRunFolder(f *testing.F) {
	for i := range files {
		for _, text := range []string{"", "{}", "[]", "null", `{"format":1}`, `{"update":3}` + "\n", `{"update":1}` + "\n" + `{"update":1}` + "\n", `{"rows":[{"system":"trained"}]}`} {
			f.Add(uint8(i), []byte(text))
		}
	}
	f.Add(uint8(0), []byte(`{"format":1,"recipe":"name: x\n","keep":-1,"max_updates":-5,"created":"0001-01-01T00:00:00Z","bases":[{"agents":[-1]}]}`))
	f.Add(uint8(2), []byte(`{"diagnostics":[{"kind":"x","rule":"turn9:drop","agent":-1,"evidence":[{"action":-1}]}],"checked":[{"moot":true}]}`))
	dir := finishedRun(f)
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		name := filepath.Join(dir, filepath.FromSlash(files[int(which)%len(files)]))
		before, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		defer os.WriteFile(name, before, 0o644)
		must(t, os.WriteFile(name, data, 0o644))
		readAll(t, dir)
		if after, err := os.ReadFile(name); err != nil || string(after) != string(data) {
			t.Errorf("reading changed %s: %v", name, err)
		}
	})
}

// readAll asks everything that only reads.
func readAll(t *testing.T, dir string) {
	runs.Again(dir)
	if s, err := runs.Summarise(dir); err == nil {
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("the summary cannot be printed: %v", err)
		}
	}
	if _, err := runs.List(filepath.Dir(dir)); err != nil {
		t.Errorf("one run keeps all from being listed: %v", err)
	}
	if d, err := store.ReadDiagnosis(dir); err == nil {
		for _, x := range d.Diagnostics {
			_ = x.String()
		}
		for _, x := range d.Checked {
			_ = x.String()
		}
	}
	if r, err := runs.ReadReport(dir); err == nil {
		r.Table()
		scalars.Results(r)
	}
	_, _ = scalars.History(dir)
	_, _ = PoliciesOf(dir, 0)
	_, _ = PoliciesOf(dir, 3)
	if v := Run(dir); v.OK && len(v.Problems) > 0 {
		t.Errorf("fine, but %q", v.Problems)
	}
}
