package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// TestTokensEndTraining: training.tokens ends the training of the team, and that of the single agent, behind the first update that reaches it;
// an interruption changes nothing, and what was reached is neither trained again nor further.
func TestTokensEndTraining(t *testing.T) {
	const budget = 900
	sets := []string{"training.updates=60", "training.tokens=900", "training.checkpoint=7", "optimizer.decay=none", "eval.baselines=[trained-single]"}
	whole := quick(t, "debate-sums", sets...)
	result, err := train.Run(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{whole.Dir, filepath.Join(whole.Dir, runs.TrainedSingle)} {
		before, all := 0, 0
		for line := range bytes.Lines(metricsFile(t, dir)) {
			var m struct{ Tokens int }
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			before, all = all, all+m.Tokens
		}
		if before >= budget || all < budget {
			t.Errorf("%s: %d tokens before the last update, %d behind it, want the budget between", dir, before, all)
		}
	}
	if r := result.Report; r.GeneratedTokens < budget || r.Updates >= 60 || r.Updates%7 == 0 {
		t.Errorf("the report has %d tokens and %d updates", r.GeneratedTokens, r.Updates)
	}
	broken := quick(t, "debate-sums", sets...)
	if _, err := train.Run(stopAfter(&broken, train.Updated, 2), broken); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := goOn(t, broken, func(*train.Options) {}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, broken.Dir)) {
			t.Error("metrics.jsonl of an interrupted run differs")
		}
	}
	again := train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1, Further: 2}
	if _, err := train.Run(context.Background(), again); err == nil || !strings.Contains(err.Error(), "training.tokens, 900") {
		t.Errorf("trained further: %v", err)
	}
}
