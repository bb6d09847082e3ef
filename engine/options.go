package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Options say how an engine runs. The zero value is right nearly always. An engine ignores what means nothing to it: one that
// computes on another machine has no use for Threads.
type Options struct {
	Kernels string // one of [KernelSets]; empty: the best that this CPU can run
	Threads int    // 0: GOMAXPROCS
	// Format is how the frozen base is held. Projections have the format; embedding and head, as in QLoRA, are bf16 under all but
	// f32. Products with a base below f32 are bfloat16 products; adapters, and policies of all parameters, are float32.
	Format      Format
	BatchTokens int // most packed tokens of a pass; 0: as many as ActivationMemory has room for
	// ActivationMemory is about the most memory, in bytes, that the activations of a pass may take; 0: [DefaultActivationMemory]. A pass
	// that needs more, of one long sequence say, computes activations again on its way back, which changes no number.
	ActivationMemory int64
	// ReuseMemory is the most memory, in bytes, that activations may take which sampling keeps for the training that follows
	// ([SampleRequest.ReuseInBackward]); 0: [DefaultReuseMemory], negative: nothing is kept. It changes no number.
	ReuseMemory int64
	// ScoreAsSampled scores every token under the rotary frequencies that Sample draws it under: those that fit the tokens before it.
	// Otherwise they are those that fit the whole sequence, as transformers scores. It matters only to models whose frequencies
	// follow the length (longrope, dynamic), for sequences that outgrow the length before scaling.
	ScoreAsSampled bool
	// Available says how many bytes the system has left for the program; nil: enough. Where that is less than passes, keys and values, or
	// kept activations would take, they take less, and [Noter] says what follows.
	Available func() float64
}

const (
	// DefaultActivationMemory is what the activations of a pass may take where nothing is said, in bytes: enough for passes at which
	// products are fast, a fraction of what the base of a larger model takes.
	DefaultActivationMemory = 3 << 29
	// DefaultReuseMemory is what the activations that sampling keeps for training may take where nothing is said, in bytes.
	DefaultReuseMemory = 2 << 30
)

// KernelSets are the names of all kernel sets of all platforms, worst first. Package kernel says what each of them is, and
// which of them a processor can run.
func KernelSets() []string {
	return []string{"generic", "neon", "avx2", "avx512", "avx512bf16", "amx"}
}

// A Load is what of a run decides how much memory an engine takes, beside the model and its policies.
type Load struct {
	Samples      int // in flight when it samples, each with a sequence of its own
	Length       int // tokens of the longest sequence
	CachedTokens int // with keys and values beside those: remembered, or of samples that share what they begin with
	Tokens       int // of the largest call that trains or goes through prompts, all sequences together; 0: as many as a pass can have
	ReusedTokens int // sampled between two steps with training to follow ([SampleRequest.ReuseInBackward]), all together
	// OnPolicy: each policy takes one step on what was sampled, so that all passes of training find what was kept.
	OnPolicy bool
	Cut      bool // tokens to train on are drawn from cut distributions, which take logits of their own
	Frozen   bool // nothing is trained: no pass keeps what a way back needs
}

// A Footprint is the memory of an engine in bytes, part by part.
type Footprint struct {
	Base        float64 // the frozen base in its format
	Policies    float64 // parameters, gradients and AdamW's moments of all policies
	Activations float64 // of the largest pass
	Reused      float64 // activations that sampling keeps for training
	Cache       float64 // keys and values: of samples in flight, and remembered
	Rest        float64 // the program itself
}

// Total adds up the parts.
func (f Footprint) Total() float64 {
	return f.Base + f.Policies + f.Activations + f.Reused + f.Cache + f.Rest
}

// Add adds the parts of another engine in the same program.
func (f *Footprint) Add(g Footprint) {
	f.Base, f.Policies, f.Activations, f.Reused, f.Cache = f.Base+g.Base, f.Policies+g.Policies, f.Activations+g.Activations, f.Reused+g.Reused, f.Cache+g.Cache
	f.Rest = max(f.Rest, g.Rest)
}

// A Format is how an engine holds the weights of the frozen base.
type Format int

const (
	F32  Format = iota
	BF16        // bfloat16, rounded to nearest, ties to even
	Int8        // one scale for each output: quant.Int8
	NF4         // 4-bit NormalFloat in blocks of 64 along the rows, with double quantisation: quant.NF4
)

var formatNames = []string{"f32", "bf16", "int8", "nf4"}

func (f Format) String() string { return formatNames[f] }

// ParseFormat returns the format called name: f32, bf16, int8 or nf4.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("weight format %q is not known; write one of %s", name, strings.Join(formatNames, ", "))
}
