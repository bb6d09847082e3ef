package engine

// A Mask says which tokens are not drawn, place by place. Their logits count as −∞ before the temperature and the cuts of [Sampling], so
// the other tokens share all probability.
type Mask struct {
	Never []TokenRange `json:"never,omitempty"` // at no place: ids of the embedding that the tokenizer has no text for, say
	Early []int        `json:"early,omitempty"` // not among the first Least new tokens: end tokens
	Least int          `json:"least,omitempty"`
}

// A TokenRange is the ids From, ..., To-1.
type TokenRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Mask is that of the completion that a request asks for. A datum of the completion that carries it is scored under the
// distributions that its tokens were drawn from.
func (r *SampleRequest) Mask() Mask {
	if r.MinTokens <= 0 {
		return Mask{Never: r.Never}
	}
	return Mask{Never: r.Never, Early: r.Stop, Least: r.MinTokens}
}
