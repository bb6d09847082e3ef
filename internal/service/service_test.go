package service

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestText: what a reader of JSON would silently replace is no text.
func TestText(t *testing.T) {
	for reply, want := range map[string]string{
		`{"a":"é \\ud800 \ud83d\ude00 \u00e9"}`: "",
		"{\"a\":\"caf\xc3\"}":                   "not UTF-8",
		"\xed\xa0\x80":                          "not UTF-8",
		`"\ud83d x"`:                            "half of a surrogate pair",
		`["\ude00"]`:                            "half of a surrogate pair",
	} {
		if err := Text([]byte(reply)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", reply, err, want)
		}
	}
}

// TestOwn: an error of any length is told by its beginning.
func TestOwn(t *testing.T) {
	if err := Own("no"); err.Error() != "no" {
		t.Error(err)
	}
	if err := Own(strings.Repeat("é", 1<<19)).Error(); len(err) > 4100 || !strings.HasSuffix(err, "é … (1048576 bytes in all)") {
		t.Errorf("%d bytes, ending with %q", len(err), err[len(err)-40:])
	}
}

// TestPython: the environment names the interpreter; a path is from where parley was started.
func TestPython(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{
		"": "python3", "python3.14": "python3.14", "./venv/bin/python": filepath.Join(here, "venv/bin/python"), here + "/python": filepath.Join(here, "python"),
	} {
		t.Setenv("PARLEY_PYTHON", named)
		if got := Python(); got != want {
			t.Errorf("PARLEY_PYTHON=%s: %s, want %s", named, got, want)
		}
	}
}
