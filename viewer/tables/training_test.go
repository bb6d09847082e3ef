package tables

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/viewer/episodes"
)

// TestShares: whose the gradient was is said where it is recorded, with what it is a share of, and nowhere else.
func TestShares(t *testing.T) {
	const losses = `"role_loss_mass":{"agent1":0.25,"agent2":0.75}`
	for name, x := range map[string]struct {
		line string
		of   string
		want []float64
	}{
		"a shared policy that is measured": {losses + `,"role_grad_norm":{"agent1":3,"agent2":1},"role_gradients":{"policy":{"norm":2,"cancel":0.5,"roles":{"agent1":{"norm":3,"mass":0.75,"share":1.5,"cos":1},"agent2":{"norm":1,"mass":0.25,"share":-0.5,"cos":-1}}}}`, "who share a policy", []float64{0.75, 0.25}},
		"policies of their own":            {losses + `,"role_grad_norm":{"agent1":3,"agent2":1}`, "each with a policy of its own", []float64{0.75, 0.25}},
		"a shared policy":                  {losses, "not recorded: agents share a policy", nil},
		"one shares, one does not":         {losses + `,"role_grad_norm":{"agent1":3}`, "not recorded: agents share a policy", nil},
		"nobody learned anything":          {losses + `,"role_grad_norm":{"agent1":0,"agent2":0}`, "each with a policy of its own", nil},
		"another way to learn":             {`"kept":3`, "not recorded: several agents", nil},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "metrics.jsonl"), []byte(`{"update":1,`+x.line+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTraining(t.Context(), dir, episodes.Team{Names: []string{"agent 1", "agent 2"}})
		if err != nil || !strings.Contains(got.Shares, x.of) || !got.Fits() {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		for i := range got.Agents {
			m := got.Of(i)
			if known := m.Gradient != nil; known != (x.want != nil) || known && math.Abs(*m.Gradient-x.want[i]) > 1e-12 || (m.Loss == nil) != (name == "another way to learn") {
				t.Errorf("%s: agent %d has %+v", name, i+1, m)
			}
		}
	}
}
