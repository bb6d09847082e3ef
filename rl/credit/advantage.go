// Package credit turns what a team earned into what each sampled token sequence is to be reinforced with.
//
// It has two families, after the two papers parley implements, beside [CallRule] and [InfluenceRule], and all are pure functions over numbers: no text, no
// tokens, no engine.
//
// Group-relative credit (MAGRPO, arXiv 2508.04652), where several responses to one prompt are compared with each other:
//
//	actions := credit.JointActions(mode, agents, group)     // which responses are scored together at a node
//	returns, err := rewards.Returns(discount)               // rewards of a whole tree, bottom-up
//	perAgent, err := credit.NodeCredit(...)                 // joint returns -> one credit per own response
//	adv, err := credit.Advantages(perAgent[i], mode, false) // compared inside the group
//
// The same game without a tree is a [Chain], which goes on from the best joint action of each turn. [Terminate] says when
// a node is good enough to stop, [TreeSize] what a configuration costs before it is run.
//
// Token-level credit (MAPoRL and other actor-critics), where a learnt value takes the place of the group: generalised
// advantage estimation over token rewards with a KL term, whitening, and [TDTarget], the turn-level temporal-difference target
// of actor-critics.
//
// Shapes: n agents, G samples per agent and node (the group), b joint actions per node. A joint action lists one sample
// index per agent. Turns and agents count from 0.
package credit

import (
	"fmt"
	"math"
	"slices"
)

// An AdvantageMode names the baseline that the credits R_1..R_G of one group are compared with (MAGRPO §2.3).
type AdvantageMode string

const (
	ModeMean AdvantageMode = "mean" // R − mean(R): MAGRPO, paper Eq. 1, no division by a standard deviation
	ModeRaw  AdvantageMode = "raw"  // R: MAREINFORCE
	ModeMax  AdvantageMode = "max"  // R − max(R): MAREMAX
	ModeRLOO AdvantageMode = "rloo" // (G·R − ΣR)/(G−1), the mean of the others as baseline: MARLOO
)

// Check returns an error for a mode that is none of the four.
func (m AdvantageMode) Check() error {
	switch m {
	case ModeMean, ModeRaw, ModeMax, ModeRLOO:
		return nil
	}
	return fmt.Errorf("advantage mode %q: write mean, raw, max or rloo", m)
}

// spreadFloor keeps the division of normalised advantages finite in groups of equal credits.
const spreadFloor = 1e-6

// Advantages returns the advantage of every credit of one group. With normalize they are afterwards centred and divided
// by max(population standard deviation, 1e-6), which makes all four modes give the same numbers: the modes differ only by a
// constant or a positive factor.
func Advantages(credits []float64, mode AdvantageMode, normalize bool) ([]float64, error) {
	if err := mode.Check(); err != nil {
		return nil, err
	}
	if len(credits) == 0 || mode == ModeRLOO && len(credits) < 2 {
		return nil, fmt.Errorf("advantages in mode %s: a group of %d is too small", mode, len(credits))
	}
	adv := baselined(credits, mode)
	if normalize {
		standardise(adv)
	}
	return adv, nil
}

func baselined(credits []float64, mode AdvantageMode) []float64 {
	adv := slices.Clone(credits)
	baseline, factor := 0.0, 1.0
	switch mode {
	case ModeMean:
		baseline = average(credits)
	case ModeMax:
		baseline = slices.Max(credits)
	case ModeRLOO:
		// (G·R − ΣR)/(G−1) = (R − mean)·G/(G−1): the form that keeps its digits when credits are large.
		g := float64(len(credits))
		baseline, factor = average(credits), g/(g-1)
	}
	for i := range adv {
		adv[i] = (adv[i] - baseline) * factor
	}
	return adv
}

func standardise(x []float64) {
	m := average(x)
	s := math.Max(populationStd(x), spreadFloor)
	for i := range x {
		x[i] = (x[i] - m) / s
	}
}

func populationStd(x []float64) float64 {
	m, sum := average(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// Whiten returns the advantages with mean 0 and variance 1 over all tokens of all answers of one batch, in MAPoRL those of
// one turn and agent (MAPoRL §4): (A − mean)/√(var + 1e−8), var with n−1. A batch of a single token is returned unchanged.
// advantages is [answer][token]; returns are computed before whitening.
func Whiten(advantages [][]float64) [][]float64 {
	n, sum := 0, 0.0
	for _, answer := range advantages {
		n += len(answer)
		for _, a := range answer {
			sum += a
		}
	}
	mean, scale := 0.0, 1.0
	if n > 1 {
		mean = sum / float64(n)
		scale = 1 / math.Sqrt(sumOfSquares(advantages, mean)/float64(n-1)+1e-8)
	}
	white := make([][]float64, len(advantages))
	for i, answer := range advantages {
		white[i] = make([]float64, len(answer))
		for x, a := range answer {
			white[i][x] = (a - mean) * scale
		}
	}
	return white
}

func sumOfSquares(rows [][]float64, mean float64) float64 {
	ss := 0.0
	for _, row := range rows {
		for _, x := range row {
			ss += (x - mean) * (x - mean)
		}
	}
	return ss
}
