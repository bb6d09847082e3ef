package loss

import (
	"fmt"
	"strings"

	"parley/credit"
	"parley/engine"
)

// RolloutMode names the shape of a multi-turn rollout.
type RolloutMode string

const (
	RolloutTree  RolloutMode = "tree"  // every joint action is followed up
	RolloutChain RolloutMode = "chain" // only the best joint action of a turn is: [credit.Chain]
)

// A Preset holds the settings in which the paper, the published library and parley differ (MAGRPO §3).
type Preset struct {
	Name             string
	Advantage        credit.AdvantageMode
	Normalize        bool // divide advantages by the group's standard deviation
	Rollout          RolloutMode
	Joint            credit.JointMode
	Discount         float64
	Cross            credit.CrossMode
	Reduction        Reduction
	CompatRows       bool // score pads and drop the last position of padded rows: [CompatGroupLoss]
	SamplingLogprobs bool // log-probabilities at the sampling settings; false: temperature 1, full vocabulary
	KLCoef           float64
	ShiftByMaximum   bool // subtract the reward's maximum, so that published absolute thresholds mean something
	Adam             engine.Adam
}

// Presets returns the known presets.
func Presets() []Preset {
	base := Preset{
		Name: "default", Advantage: credit.ModeMean, Rollout: RolloutTree, Joint: credit.Aligned, Discount: 0.9,
		Cross: credit.CrossMean, Reduction: SeqSum, SamplingLogprobs: true,
		Adam: engine.Adam{LR: 5e-6, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.01, ClipNorm: 1},
	}
	paper := base
	paper.Name = "paper"
	paper.Adam.ClipNorm = 0
	compat := paper
	compat.Name = "compat-1.4"
	compat.Normalize = true
	compat.Discount = 1
	compat.Cross = credit.CrossSum
	compat.CompatRows = true
	compat.SamplingLogprobs = false
	compat.ShiftByMaximum = true
	return []Preset{base, paper, compat}
}

// FindPreset returns the preset of that name.
func FindPreset(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("preset %q: write one of %s", name, strings.Join(names, ", "))
}
