package collab

// This file lets several models of one vocabulary write one text: for each token it is chosen which of them writes it (Collab, arXiv 2503.21720,
// §4). Nothing is trained.
//
// At a text s every agent j names its p most probable tokens z. A token is worth what the text is expected to earn if agent j goes on alone, less how
// far agent j is from a common reference:
//
//	J^j(s,z) = Q^j(s,z) − α·KL(π_j(·|s) ‖ π_ref(·|s))
//	y        = argmax_z max_j J^j(s,z)
//
//	step.go    the choice of one token
//	decode.go  a whole text, its trace, and the check of vocabularies
//
// KL is constant over z, so within one agent Q alone decides, and with one agent α changes nothing. An agent that writes what the reference never
// writes has an infinite KL and is not chosen; if all agents are such, Q decides. Between equals the first agent wins, and its more probable
// token.
//
// The caller gives Q. One greedy completion by the same agent, scored by the reward of whole texts, is the default of the paper's predecessor: see
// [Complete]. A text of T tokens costs K·p·T such completions. Where Q is exact, α is 0 and every token is a candidate, the text is worth at least
// as much as that of the best single agent.

import (
	"fmt"
	"math"
	"slices"
)

// Next returns the probabilities of every token of the vocabulary after a text.
type Next func(text []int) ([]float64, error)

// A Decoder writes a text by several agents.
type Decoder struct {
	Agents     []Next
	Reference  Next
	Candidates int     // p, of each agent at each token
	Alpha      float64 // weight of the distance from the reference
	Length     int     // the most tokens
	// Over says that a text has ended before its length; nil: none does.
	Over func(text []int) bool
	// Value is Q: what each of some texts earns if the agent goes on alone.
	Value func(agent int, texts [][]int) ([]float64, error)
	// Hear is told every token once it is chosen; nil: nobody listens. An error ends the text.
	Hear func(token, agent int) error
}

// A Trace is a text with who wrote what.
type Trace struct {
	Tokens   []int
	Writers  []int // agent of each token
	Switches int   // candidatePlaces where the writer changes
	Rollouts int   // texts that Value was asked about
}

// Decode writes a text. Where it fails, the trace is how far it came.
func (d Decoder) Decode() (Trace, error) {
	if len(d.Agents) == 0 || d.Candidates < 1 {
		return Trace{}, fmt.Errorf("decode: %d agents with %d candidates each: at least one of both", len(d.Agents), d.Candidates)
	}
	var t Trace
	for len(t.Tokens) < d.Length && !over(t.Tokens, d.Over) {
		at, err := d.step(t.Tokens)
		if err != nil {
			return t, fmt.Errorf("decode token %d: %w", len(t.Tokens)+1, err)
		}
		c := at.Choose(d.Alpha)
		for _, values := range at.Q {
			t.Rollouts += len(values)
		}
		if n := len(t.Writers); n > 0 && t.Writers[n-1] != c.Agent {
			t.Switches++
		}
		t.Tokens, t.Writers = append(t.Tokens, c.Token), append(t.Writers, c.Agent)
		if d.Hear != nil {
			if err := d.Hear(c.Token, c.Agent); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// over says that a text with tokens has ended.
func over(text []int, ends func([]int) bool) bool { return ends != nil && len(text) > 0 && ends(text) }

// EndsWith says of texts that they are over with a token.
func EndsWith(end int) func(text []int) bool {
	return func(text []int) bool { return text[len(text)-1] == end }
}

// step asks all agents about a text. At α = 0 distances do not count, and the reference is not asked.
func (d Decoder) step(text []int) (Step, error) {
	var reference []float64
	var err error
	if d.Alpha != 0 {
		if reference, err = d.Reference(text); err != nil {
			return Step{}, fmt.Errorf("reference: %w", err)
		}
	}
	var s Step
	for j, next := range d.Agents {
		probs, err := next(text)
		if err != nil {
			return Step{}, fmt.Errorf("agent %d: %w", j+1, err)
		}
		distance := 0.0
		if d.Alpha != 0 {
			if len(probs) != len(reference) {
				return Step{}, fmt.Errorf("agent %d has a vocabulary of %d tokens, the reference one of %d", j+1, len(probs), len(reference))
			}
			distance = Divergence(probs, reference)
		}
		candidates := MostProbable(probs, d.Candidates)
		texts := make([][]int, len(candidates))
		for m, z := range candidates {
			texts[m] = append(slices.Clone(text), z)
		}
		values, err := d.Value(j, texts)
		if err != nil {
			return Step{}, fmt.Errorf("agent %d: %w", j+1, err)
		}
		s.Candidates, s.Q, s.KL = append(s.Candidates, candidates), append(s.Q, values), append(s.KL, distance)
	}
	return s, nil
}

// Complete returns a text that an agent goes on with greedily, until it is over or has its length; of equally probable tokens the lower id comes.
func Complete(next Next, text []int, ends func(text []int) bool, length int) ([]int, error) {
	text = slices.Clone(text)
	for len(text) < length && !over(text, ends) {
		probs, err := next(text)
		if err != nil {
			return nil, fmt.Errorf("complete token %d: %w", len(text)+1, err)
		}
		text = append(text, MostProbable(probs, 1)...)
	}
	return text, nil
}

// MostProbable returns the p most probable tokens, the most probable first; of equals the lower id.
func MostProbable(probs []float64, p int) []int {
	ids := make([]int, 0, p+1) // the best so far
	for id, x := range probs {
		at := len(ids)
		for at > 0 && x > probs[ids[at-1]] {
			at--
		}
		if at < p {
			ids = slices.Insert(ids, at, id)
			ids = ids[:min(len(ids), p)]
		}
	}
	return ids
}

// Divergence is KL(π‖ref) = Σ π·log(π/ref); +Inf where π writes what ref never writes.
func Divergence(probs, reference []float64) float64 {
	sum := 0.0
	for i, p := range probs {
		switch {
		case p == 0: // 0·log 0 = 0
		case reference[i] == 0:
			return math.Inf(1)
		default:
			sum += p * math.Log(p/reference[i])
		}
	}
	return sum
}

// SameVocabulary returns an error for models whose tokens are not the same list: they cannot write one text.
func SameVocabulary(vocabularies [][]string) error {
	for j, v := range vocabularies[min(1, len(vocabularies)):] {
		first := vocabularies[0]
		if len(v) != len(first) {
			return fmt.Errorf("agent %d has a vocabulary of %d tokens, agent 1 one of %d: take bases with one tokenizer", j+2, len(v), len(first))
		}
		for id := range v {
			if v[id] != first[id] {
				return fmt.Errorf("token %d is %q for agent %d and %q for agent 1: take bases with one tokenizer", id, v[id], j+2, first[id])
			}
		}
	}
	return nil
}
