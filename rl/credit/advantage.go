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
