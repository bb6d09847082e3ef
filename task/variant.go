package task

import "fmt"

// A RewardVariant names one of the ways in which a published joint reward is computed (MAGRPO §6.4, §7.2).
type RewardVariant string

const (
	Standard RewardVariant = "standard" // as documented
	Robust   RewardVariant = "robust"   // as documented, but nothing is paid for what games it
	Compat   RewardVariant = "compat"   // as the published code computes it
)

// Check returns an error for a variant that is none of the three.
func (v RewardVariant) Check() error {
	switch v {
	case Standard, Robust, Compat:
		return nil
	}
	return fmt.Errorf("scorer %q: write standard, robust or compat", v)
}
