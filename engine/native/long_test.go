//go:build long

package native

import (
	"testing"

	"parley/engine"
	"parley/engine/native/kernel"
)

// TestLongProperties draws from the properties of the engine as often as rapid does by itself.
func TestLongProperties(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"kept activations": TestKeptActivationsChangeNoBit, "sampler and trainer": TestSamplerEqualsTrainer, "in columns": TestSamplerEqualsTrainerInColumns,
		"formats": TestFormatConformance, "chats": TestChatsAreWhatTheyAreAlone, "distributions": TestDistributionsAreScores,
	} {
		t.Run(name, test)
	}
}

// TestLongAttention: as TestAttentionInViews, in plain Go.
func TestLongAttention(t *testing.T) { attentionInViews(t, kernel.Available()[:1], engine.F32) }
