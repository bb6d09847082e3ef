package vectortest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadReadsTheFolderFirst(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_VECTORS", dir)
	file := filepath.Join(dir, "maporl.json")
	for content, want := range map[string]string{
		``:                              "unexpected end",
		`{"about": "nothing"}`:          "no sections",
		`{"about": "x", "votes": []}`:   "section votes: no cases",
		`{"about": "x", "votes": {}}`:   "section votes",
		`{"about": "x", "votes": [1]}`:  "section votes: case 0",
		`{"about": ["x"], "votes": []}`: "",
	} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load("maporl.json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", content, err, want)
		}
	}
	if err := os.WriteFile(file, []byte(`{"about": "x", "s": [{"id": "a", "v": 1}, {"name": "b", "tolerance": 0.5}, {}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Load("maporl.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := f.Sections["s"]
	if len(cases) != 3 || cases[0].ID != "a" || cases[1].ID != "b" || cases[2].ID != "2" || *cases[1].Tolerance != 0.5 {
		t.Errorf("%+v", cases)
	}
	if _, err := Load("absent.json"); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestDecodeRefusesFieldsThatNobodyChecks(t *testing.T) {
	c := Case{ID: "x", JSON: []byte(`{"id": "x", "v": 1, "w": 2}`)}
	var partial struct{ V float64 }
	if err := c.Decode(&partial); err == nil {
		t.Error("field w went unnoticed")
	}
	var full struct{ V, W float64 }
	if err := c.Decode(&full); err != nil || full.V != 1 || full.W != 2 {
		t.Errorf("%+v, %v", full, err)
	}
}

func TestClose(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		close     bool
	}{
		{1 + 9e-10, 1, true},
		{1 + 2e-9, 1, false},
		{1e6 + 5e-4, 1e6, true},
		{9e-10, 0, true},
		{2e-9, 0, false},
		{math.Inf(1), math.Inf(1), true},
		{math.Inf(1), 1, false},
		{math.NaN(), math.NaN(), false},
		{math.NaN(), 1, false},
	} {
		if Close(c.got, c.want, 1e-9) != c.close {
			t.Errorf("Close(%v, %v) is %v", c.got, c.want, !c.close)
		}
	}
}
