package eval

import (
	"parley/internal/seed"
)

// A Worth is what single members of a team are worth to it, by what it scores with and without them. All lists are about the same problems, in the same
// order, each played by the same random numbers.
type Worth struct {
	Measure Measure
	Team    []float64         // as it is
	LeftOut map[int][]float64 // without a member, from 0; those that are not in it were not left out
	Before  map[int][]float64 // with a member as it was before training
	Orders  [][]int           // in which members come, by their places in Members
	Members []int             // whom the score is shared among
	Scores  func(Coalition) []float64
}

// A Contribution is what one member is worth to its team.
type Contribution struct {
	LeftOut *Difference // what the team scores without it, less what it scores; nil: it was not left out
	Before  *Difference // the same with the member as it was before training
	Share   *Mean95     // its Shapley value; nil: nothing is shared out, or it is always there
}

// A Mean95 is a mean over problems with its 95 % interval, by the bootstrap over problems, and, where it is itself an estimate, the standard error of that.
type Mean95 struct {
	Mean     float64
	Interval Interval
	Error    float64
}

// Contributions says it of n members. A difference is below 0 where the member is of use. The same stream gives the same intervals.
func Contributions(n int, w Worth, stream uint64) ([]Contribution, error) {
	out := make([]Contribution, n)
	team := Scores{w.Measure, w.Team}
	for i := range out {
		for _, x := range []struct {
			word   string
			scores map[int][]float64
			to     **Difference
		}{{"left out", w.LeftOut, &out[i].LeftOut}, {"untrained", w.Before, &out[i].Before}} {
			scores, played := x.scores[i]
			if !played {
				continue
			}
			d, err := Compare(Scores{w.Measure, scores}, team, seed.Derive(stream, x.word, i))
			if err != nil {
				return nil, err
			}
			*x.to = &d
		}
	}
	if w.Scores == nil {
		return out, nil
	}
	for at, share := range Shapley(w.Orders, w.Scores) {
		out[w.Members[at]].Share = &Mean95{Mean(share.Values), Bootstrap(share.Values, resamples, seed.Derive(stream, "share", at)), share.Error}
	}
	return out, nil
}
