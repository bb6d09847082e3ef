package engine

import "parley/model/form/lexicon"

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
	// Lexicon says which tokens texts of a form are made of ([Mask]); nil: the engine takes no forms. Engines over an open model take it from there.
	Lexicon func() (*lexicon.Lexicon, error)
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
