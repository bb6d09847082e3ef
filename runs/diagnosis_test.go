package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs/store"
)

func TestReadDiagnosis(t *testing.T) {
	r := newRun(t)
	if _, err := store.ReadDiagnosis(r.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run without diagnosis: %v", err)
	}
	must(t, r.WriteJSON(store.DiagnosisFile, store.Diagnosis{Update: 3, Unchecked: []store.Unchecked{{Rule: "a", Why: "b"}}}))
	if d, err := store.ReadDiagnosis(r.dir); err != nil || d.Update != 3 || len(d.Unchecked) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	must(t, r.WriteFile(store.DiagnosisFile, []byte(`{"update":`)))
	if _, err := store.ReadDiagnosis(r.dir); err == nil || !strings.Contains(err.Error(), filepath.Join(r.dir, store.DiagnosisFile)) {
		t.Errorf("a damaged diagnosis: %v", err)
	}
}

// TestNoRun: what is no run is known by the error, which wraps that of a file that is not there.
func TestNoRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, dir := range []string{filepath.Dir(file), file, file + "x"} {
		_, err := Read(dir)
		var none *NotRunError
		if !errors.As(err, &none) || none.Dir != dir || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
		if err := Remove(dir); !errors.As(err, &none) {
			t.Errorf("removal of %s: %v", dir, err)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
