// Package enginetest holds the conformance suite that every implementation of [engine.Engine] passes, with tests of each ability that
// it has beside ([engine.Contexter], [engine.Streamer], [engine.Diverger] and so on).
//
// An engine refuses distributions and policies that it does not have with errors.ErrUnsupported, in every call, and stays as it was. The suite
// checks that, and tests the rest.
//
// The suite asks for what the interface promises and no more: a remote engine on other hardware passes it as well as the
// embedded one. So numbers are compared within a tolerance; that the embedded engine's are equal bit for bit is tested where
// it lives.
//
// Beside it stand plain definitions of what faster or more general code computes, for tests to compare with: the distribution that sampling settings
// make of logits ([SamplingLogprobs], [FilteredLogprobs]), and MAGRPO's losses of a group ([GroupLoss]). They take one number at a time, and import no
// code that they are compared with.
package enginetest

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine"
)

// tolerance is how far two computations of one log-probability may be apart.
const tolerance = 1e-3

// Conformance tests the engine that open returns: a fresh one for each call, with no policies but the base. tokens is the size
// of its vocabulary; ids below it must be valid. The context must have room for 64 tokens.
func Conformance(t *testing.T, open func(t *testing.T) engine.Engine, tokens int) {
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"Policies", (*suite).policies},
		{"Unsupported", (*suite).unsupported},
		{"BadRequests", (*suite).badRequests},
		{"SampleShapes", (*suite).sampleShapes},
		{"SampleSeeds", (*suite).sampleSeeds},
		{"SampleStops", (*suite).sampleStops},
		{"SampleWatched", (*suite).watched},
		{"SampleIsScored", (*suite).sampleIsScored},
		{"Masks", (*suite).masks},
		{"Forms", (*suite).forms},
		{"FormPlaces", (*suite).formPlaces},
		{"ForwardIsADistribution", (*suite).distribution},
		{"ForwardKeepsTheToken", (*suite).keptToken},
		{"ForwardAlone", (*suite).forwardAlone},
		{"Given", (*suite).given},
		{"LossOrder", (*suite).lossOrder},
		{"LossError", (*suite).lossError},
		{"NotFinite", (*suite).notFinite},
		{"TrainingLearns", (*suite).learns},
		{"PoliciesAreIndependent", (*suite).independent},
		{"GradientsAddUp", (*suite).gradientsAddUp},
		{"SaveLoad", (*suite).saveLoad},
		{"ValueHead", (*suite).valueHead},
		{"Cancelled", (*suite).cancelled},
		{"Concurrent", (*suite).concurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(&suite{T: t, Engine: open(t), tokens: tokens}) })
	}
	for name, run := range abilities(open(t)) {
		t.Run(name, func(t *testing.T) { run(&suite{T: t, Engine: open(t), tokens: tokens}) })
	}
}

// A suite is one test's engine with short ways to use it.
type suite struct {
	*testing.T
	engine.Engine
	tokens int
}

var spec = engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1}

var adam = engine.Adam{LR: 0.02, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}

// text returns n token ids that differ from one another where the vocabulary allows, starting anywhere.
func (s *suite) text(start, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (start*7 + i*5 + 1) % s.tokens
	}
	return ids
}

func (s *suite) policy(names ...engine.Policy) {
	s.Helper()
	for i, p := range names {
		sp := spec
		sp.Seed += uint64(i)
		if err := s.NewPolicy(s.Context(), p, sp); err != nil {
			s.Fatal(err)
		}
	}
}

func (s *suite) sample(reqs ...engine.SampleRequest) []engine.Sample {
	s.Helper()
	samples, err := s.Sample(s.Context(), reqs)
	if err != nil {
		s.Fatal(err)
	}
	if len(samples) != len(reqs) {
		s.Fatalf("%d samples for %d requests", len(samples), len(reqs))
	}
	return samples
}

func (s *suite) forward(data ...engine.Datum) []engine.Output {
	s.Helper()
	outputs, err := s.Forward(s.Context(), data)
	if err != nil {
		s.Fatal(err)
	}
	if len(outputs) != len(data) {
		s.Fatalf("%d outputs for %d data", len(outputs), len(data))
	}
	for i, o := range outputs {
		if n := data[i].Asked(); len(o.Logprobs) != n && !data[i].ValuesOnly {
			s.Fatalf("datum %d: %d log-probabilities for %d tokens from %d", i, len(o.Logprobs), len(data[i].Tokens), data[i].ScoreFrom)
		}
	}
	return outputs
}

// likelihood is the loss of maximum likelihood: minus the sum of log-probabilities.
func likelihood(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
	gradients := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		gradients[i].Logprobs = slices.Repeat([]float32{-1}, len(o.Logprobs))
	}
	return gradients, nil
}

func (s *suite) train(p engine.Policy, steps int, data ...engine.Datum) {
	s.Helper()
	for range steps {
		if err := s.ForwardBackward(s.Context(), data, likelihood); err != nil {
			s.Fatal(err)
		}
		if _, err := s.Step(s.Context(), p, adam); err != nil {
			s.Fatal(err)
		}
	}
}

func sum(x []float32) float64 {
	total := 0.0
	for _, v := range x {
		total += float64(v)
	}
	return total
}

// same compares two rows of log-probabilities.
func (s *suite) same(what string, got, want []float32) {
	s.Helper()
	if len(got) != len(want) {
		s.Fatalf("%s: %d log-probabilities, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(float64(got[i]-want[i])) <= tolerance) {
			s.Errorf("%s: log-probability %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func (s *suite) folder() string { return filepath.Join(s.TempDir(), "policy") }
