//go:build long

package train

import "testing"

// TestLongEveryPolicyStaysOnItsBase: as TestEveryPolicyStaysOnItsBase.
func TestLongEveryPolicyStaysOnItsBase(t *testing.T) {
	staysOnItsBase(t,
		onBases{"both trained", "debate-sums", []string{"ppo.epochs=1", "sampling.max_tokens=16"}, []int{4, 4}}, // a policy and a critic a turn
		onBases{"second frozen", "debate-sums", []string{"ppo.epochs=1", "policies.frozen=[2]", "sampling.max_tokens=16"}, []int{4, 0}})
}
