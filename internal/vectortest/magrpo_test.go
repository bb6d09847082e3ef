package vectortest

import (
	"maps"
	"slices"
	"testing"
)

// magrpoPending names sections that are not run: none of work that has not begun, and those that need a sandbox where that
// is not wanted.
func magrpoPending() []string {
	if runsCode() {
		return nil
	}
	return slices.Sorted(maps.Keys(codeSections))
}

// magrpoSections runs one case of each section.
var magrpoSections = map[string]func(*testing.T, Case){
	"advantages":       advantagesCase,
	"returns":          returnsCase,
	"cross_credit":     crossCreditCase,
	"tree_size":        treeSizeCase,
	"chain":            chainCase,
	"termination":      terminationCase,
	"td":               tdCase,
	"loss":             lossCase,
	"sampling_logp":    samplingLogpCase,
	"kl":               klCase,
	"value_loss":       valueLossCase,
	"madpo":            madpoCase,
	"preference_pairs": preferencePairsCase,
	"optimizer_steps":  optimizerStepsCase,
	"pass_at_k":        passAtKCase,
	"accuracy_at_k":    accuracyAtKCase,
	"majority":         majorityCase,
	"metrics":          metricsCase,
	"diagnostics":      diagnosticsCase,
	"tldr_reward":      tldrRewardCase,
	"arxiv_reward":     arxivRewardCase,
	"split":            splitCase,
	"classeval":        classevalCase,
	"strbuild":         strbuildCase,
	"housebuild":       housebuildCase,
	"feedback_slice":   feedbackSliceCase,
}

// magrpoTolerance is that of cases which have none of their own.
const magrpoTolerance = 1e-6

func TestVectorsMAGRPO(t *testing.T) {
	sections := map[string]func(*testing.T, Case){}
	all := maps.Clone(magrpoSections)
	if runsCode() {
		maps.Copy(all, codeSections)
	}
	for name, run := range all {
		sections[name] = func(t *testing.T, c Case) {
			if c.Tolerance == nil {
				usual := magrpoTolerance
				c.Tolerance = &usual
			}
			run(t, c)
		}
	}
	runSections(t, "magrpo.json", sections, magrpoPending())
}

func equalParts(t *testing.T, c Case, what string, got, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
	for name, w := range want {
		g, ok := got[name]
		if !ok {
			t.Errorf("%s: no part %s", what, name)
		}
		near(t, c, what+" "+name, g, w)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
