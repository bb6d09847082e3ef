package plan

import (
	"testing"

	"parley/internal/turn"
	"parley/recipe/language"
)

// TestSingleOfShipped: every run of every shipped recipe can be compared with a single agent, whatever is said about several turns. A team that
// acts in an environment cannot: who stands alone there has no steps.
func TestSingleOfShipped(t *testing.T) {
	for i, r := range language.New().Shipped() {
		if !turn.Share(i) {
			continue
		}
		if r.TaskType().Acts {
			if _, err := language.New().Load(r.Name, []string{"eval.baselines=[single]"}); err == nil {
				t.Errorf("%s may have baselines of a single agent", r.Name)
			}
			continue
		}
		r.Experiment.Seeds = nil // they change nothing of what is asked
		trials, err := r.Trials()
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range trials {
			acts := trial.Recipe.Workflow("").World // a single agent has no steps in an environment
			if _, err := Single(trial.Recipe); (err != nil) != acts {
				t.Errorf("%s %s: %v", r.Name, trial.Variant, err)
			}
		}
	}
}

// TestSingleOfEndpoint: whoever stands alone asks no servers but those that score it.
func TestSingleOfEndpoint(t *testing.T) {
	r, err := language.New().Load("chain-tiny", []string{`team.agents={writer: {}, critic: {endpoint: {url: "http://127.0.0.1:1/v1", model: big}}, editor: {}}`, "servers.tokens=5", "sampler.openai.url=http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	single, err := Single(r)
	if err != nil || single.Servers.Tokens != 0 || single.Sampler != r.Sampler {
		t.Errorf("%+v, %v", single, err)
	}
}
