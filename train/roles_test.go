package train_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"parley/train/shortrun"
)

// TestRoleGradientsLeaveNoTrace: a run in which gradients of agents are measured trains what the same run without trains, byte for byte, and
// says what it measured.
//
// TestLongRoleGradientsLeaveNoTrace does so with critics and small batches.
func TestRoleGradientsLeaveNoTrace(t *testing.T) {
	leavesNoTrace(t, map[string][]string{"review-tiny": {"policies.sharing=shared"}})
}

func leavesNoTrace(t *testing.T, cases map[string][]string) {
	t.Helper()
	for name, sets := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines [2][]map[string]any
			var policies [2]map[string][]byte
			for i, every := range []string{"0", "2"} {
				sets := slices.Concat(tiny, sets, []string{"training.role_gradients=" + every})
				result, _ := shortrun.Run(t, shortrun.Load(t, name, sets...))
				lines[i], policies[i] = linesOf(t, metricsFile(t, result.Dir)), adaptersOf(t, result.Dir)
			}
			for i, line := range lines[1] {
				if _, measured := line["role_gradients"]; measured != (i%2 == 0) {
					t.Errorf("update %d is measured: %v", i+1, measured)
				}
				delete(line, "role_gradients")
				delete(line, "role_grad_norm")
			}
			if !reflect.DeepEqual(lines[0], lines[1]) || len(lines[0]) == 0 {
				t.Errorf("metrics\n%v\nand without measuring\n%v", lines[1], lines[0])
			}
			if len(policies[0]) == 0 || !maps.EqualFunc(policies[0], policies[1], bytes.Equal) {
				t.Error("policies differ")
			}
		})
	}
}

func linesOf(t *testing.T, file []byte) (out []map[string]any) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader(file)); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

// adaptersOf are the trained policies of a run, by file.
func adaptersOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "adapters", "*", "adapter_model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[filepath.Base(filepath.Dir(f))], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
