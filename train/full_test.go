package train_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/train"
)

// TestFullCopies: a policy that is a full copy begins as its base, to the bit, and leaves it by its own steps; the base stays what the KL
// penalty compares with. What is saved is a whole model.
func TestFullCopies(t *testing.T) {
	o := quick(t, "magrpo-tiny", "policies.full=true", "group.kl=0.1", "training.updates=2", "optimizer.warmup=0", "optimizer.lr=auto")
	if _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var kl []float64
	for line := range bytes.Lines(metricsFile(t, o.Dir)) {
		var u struct{ KL *float64 }
		if err := json.Unmarshal(line, &u); err != nil {
			t.Fatal(err)
		}
		kl = append(kl, *u.KL)
	}
	if len(kl) != 2 || kl[0] != 0 || !(kl[1] > 0) {
		t.Errorf("divergences from the base are %v, want 0 and something", kl)
	}
	for _, name := range []string{"config.json", "model.safetensors", "optimizer.safetensors"} {
		if _, err := os.Stat(filepath.Join(o.Dir, "adapters", "policy-agent1", name)); err != nil {
			t.Error(err)
		}
	}
}
