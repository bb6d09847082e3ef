package engine

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
