package verify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/runs"
	"parley/runs/verify"
)

func answer(policy string, first int) verify.Answer {
	return verify.Answer{Policy: policy, Prompt: []int{first}, Tokens: []int{first, 2}}
}

func measuredAnswers(t *testing.T, dir, name string, answers ...verify.Answer) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"system": "trained", "answers": answers})
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "evaluation"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "evaluation", name), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRead: the newest measurement of the trained team counts that has answers, else the newest episodes; empty answers do not count.
func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r, err := runs.Create(dir, runs.Meta{Name: "a", Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	if found, heldOut, err := verify.HeldOutAnswers(dir, 5); err != nil || heldOut || len(found) != 0 {
		t.Errorf("of nothing: %v %v %v", found, heldOut, err)
	}
	err = r.WriteEpisodes(1, func(enc func(any) error) error {
		for i := range 3 {
			agent := map[string]any{"policy": "p", "prompt": []int{i + 1}, "completions": []map[string]any{{"tokens": []int{7}}, {"tokens": []int{8}}}}
			if err := enc(map[string]any{"nodes": []any{map[string]any{"agents": []any{agent}}}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found, heldOut, err := verify.HeldOutAnswers(dir, 2)
	if err != nil || heldOut || len(found["p"]) != 2 || found["p"][1].Prompt[0] != 2 || found["p"][1].Tokens[0] != 7 {
		t.Errorf("of episodes: %v %v %v", found, heldOut, err)
	}
	measuredAnswers(t, dir, "trained-000003.json", answer("p", 30), verify.Answer{Policy: "p"}, answer("q", 31), answer("p", 32), answer("p", 33))
	measuredAnswers(t, dir, "trained-000005.json")
	measuredAnswers(t, dir, "off-the-shelf-000000.json", answer("p", 50))
	measuredAnswers(t, dir, "trained-000002.json", answer("p", 20))
	found, heldOut, err = verify.HeldOutAnswers(dir, 2)
	if err != nil || !heldOut || len(found["p"]) != 2 || found["p"][1].Prompt[0] != 32 || len(found["q"]) != 1 {
		t.Errorf("of a measurement: %v %v %v", found, heldOut, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
