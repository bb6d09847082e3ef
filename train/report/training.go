package report

import "slices"

// A Training is what one run of a variant did, update by update.
type Training struct {
	Variant string
	Updates []Update
}

// ofVariant are the trainings of a variant, one a seed.
func ofVariant(all []Training, variant string) []Training {
	return slices.DeleteFunc(slices.Clone(all), func(t Training) bool { return t.Variant != variant })
}

// meanUpdates are the means of trainings, as far as all of them went. Measures are left out.
func meanUpdates(all []Training) []Update {
	if len(all) == 0 {
		return nil
	}
	n := len(all[0].Updates)
	for _, t := range all {
		n = min(n, len(t.Updates))
	}
	out := make([]Update, n)
	for i := range out {
		out[i].Update, out[i].Names = all[0].Updates[i].Update, all[0].Updates[i].Names
		for _, t := range all {
			u := t.Updates[i]
			out[i].Accuracy = added(out[i].Accuracy, u.Accuracy, 1/float64(len(all)))
			out[i].Reward = added(out[i].Reward, u.Reward, 1/float64(len(all)))
		}
	}
	return out
}

// added is sum + factor·values; an empty sum is zero.
func added(sum, values []float64, factor float64) []float64 {
	if sum == nil && values != nil {
		sum = make([]float64, len(values))
	}
	for i := range sum {
		sum[i] += factor * values[i]
	}
	return sum
}
