package compare

import (
	"slices"

	"parley/rl/eval"
)

// readSamples takes pass@k of each problem from the samples of the system, for every k that the report has. A run that was not sampled has none.
func (o *one) readSamples() error {
	var ks []int
	for _, x := range o.report.PassAt {
		if x.System == o.system {
			ks = append(ks, x.K)
		}
	}
	file, err := newest(o.dir, "samples-"+o.system)
	if len(ks) == 0 || file == "" || err != nil {
		return err
	}
	var m struct {
		Shares  [][]float64
		Missing []struct{ Number int }
	}
	if err := readFile(file, &m); err != nil {
		return err
	}
	o.passAt = map[int][]float64{}
	for _, shares := range m.Shares {
		for _, k := range ks {
			if k > len(shares) || len(m.Missing) > 0 {
				o.passAt = nil // of other problems than the rest
				return nil
			}
			o.passAt[k] = append(o.passAt[k], eval.PassAtKOf(shares, k))
		}
	}
	return nil
}

// sampled are the k of pass@k that all runs have, for as many problems.
func sampled(all []*one) []int {
	var out []int
	for k, values := range all[0].passAt {
		if !slices.ContainsFunc(all, func(o *one) bool { return len(o.passAt[k]) != len(values) }) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

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
