package compare

import "slices"

// share keeps the scores of the problems that all runs could score, in all of them, and returns how many others there are.
func share(all []*one) (others int, err error) {
	missing := map[int]bool{}
	for _, r := range all {
		for _, number := range r.missing {
			missing[number] = true
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	if len(missing) >= all[0].report.Problems {
		return 0, refuse("every held-out problem could not be scored in one run or another")
	}
	for _, r := range all {
		var scores, accuracy []float64
		at := 0 // in r.scores
		for number := range r.report.Problems {
			if slices.Contains(r.missing, number) {
				continue
			}
			if !missing[number] {
				scores = append(scores, r.scores[at])
				if r.accuracy != nil {
					accuracy = append(accuracy, r.accuracy[at])
				}
			}
			at++
		}
		r.scores, r.accuracy = scores, accuracy
	}
	return len(missing), nil
}
