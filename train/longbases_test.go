//go:build long

package train

import "testing"

// TestLongEveryPolicyStaysOnItsBase: as TestEveryPolicyStaysOnItsBase.
func TestLongEveryPolicyStaysOnItsBase(t *testing.T) {
	staysOnItsBase(t,
		onBases{"both trained", "debate-sums", []string{"ppo.epochs=1", "sampling.max_tokens=16"}, []int{4, 4}}, // a policy and a critic a turn
		onBases{"second frozen", "debate-sums", []string{"ppo.epochs=1", "policies.frozen=[2]", "sampling.max_tokens=16"}, []int{4, 0}})
}

// TestLongRunPool: as TestRunPool.
func TestLongRunPool(t *testing.T) { runPool(t, 6, "training.problems=8") }

// TestLongReplay: as TestReplay.
func TestLongReplay(t *testing.T) { replays(t, "training.problems=3", "eval.problems=2") }
