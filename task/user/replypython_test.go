//go:build sandbox

package user

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPythonReplies: a Python file's answers are read as those of a program.
func TestPythonReplies(t *testing.T) {
	python := strings.NewReplacer("null", "None", "true", "True")
	for body, want := range replies {
		for _, isolated := range []bool{true, false} {
			r := open(t, Settings{Python: pythonFile(t, "def reward(item, responses):\n    return "+python.Replace(body)+"\n"), Isolated: isolated})
			if want == "" {
				told, err := parse([]byte(body))
				if err != nil {
					t.Fatal(err)
				}
				if v := score(t, r, "x")[0]; v.Err != nil || v.Score.Reward != 0.5 || !maps.Equal(v.Score.Agents, told.Score.Agents) || !slices.Equal(v.Own, told.Own) {
					t.Errorf("%s, isolated %t: %+v, a program's answer is read as %+v", body, isolated, v, told)
				}
				continue
			}
			if v := score(t, r, "x")[0]; v.Err == nil || !strings.Contains(strings.ReplaceAll(v.Err.Error(), "'", `"`), want) {
				t.Errorf("%s: %+v, want an error with %q", body, v, want)
			}
		}
	}
}
