package episodes

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"parley/rl/rollout"
	"parley/runs"
)

// FuzzShow: every episode that can be read can be shown, and sent as JSON.
func FuzzShow(f *testing.F) {
	dirs, err := filepath.Glob("../testdata/runs/*")
	if err != nil || len(dirs) == 0 {
		f.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		_ = runs.ReadEpisodes(dir, 1, func(line []byte) error { // one run has none
			f.Add(append([]byte{}, line...))
			return errStop
		})
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := rollout.ReadEpisode(line)
		if err != nil {
			return
		}
		shown := Show(e, Neighbours{}, nil, Team{})
		all := []any{shown, Lines(e, Team{})}
		for _, n := range shown.Nodes {
			for _, cell := range n.Cells {
				for _, said := range cell.Completions {
					_, c, err := Find(e, false, n.Node, cell.Agent, said.Completion)
					if err != nil {
						t.Fatalf("an answer that is shown is not found: %v", err)
					}
					all = append(all, Strip(c, nil, nil, ""))
				}
			}
		}
		if _, err := json.Marshal(all); err != nil {
			t.Fatal(err)
		}
	})
}
