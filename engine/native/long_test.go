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
		"sampler and trainer": TestSamplerEqualsTrainer, "in columns": TestSamplerEqualsTrainerInColumns,
		"chats": TestChatsAreWhatTheyAreAlone, "distributions": TestDistributionsAreScores,
	} {
		t.Run(name, test)
	}
}

// TestLongAttention: as TestAttentionInViews, with the other sets, and in plain Go.
func TestLongAttention(t *testing.T) {
	sets := kernel.Available()
	attentionInViews(t, sets[:1], engine.F32)
	if len(sets) > 2 {
		attentionInViews(t, sets[1:len(sets)-1], engine.F32, engine.BF16)
	}
}
