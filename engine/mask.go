package engine

// A Mask says which tokens are not drawn, place by place. Their logits count as −∞ before the temperature and the cuts of [Sampling], so
// the other tokens share all probability.
type Mask struct {
	Never [][2]int `json:"never,omitempty"` // ids from, ..., to-1 of each [from, to], at no place: those that the tokenizer has no text for, say
	Early []int    `json:"early,omitempty"` // not among the first Least new tokens: end tokens
	Least int      `json:"least,omitempty"`
}

// Mask is that of the completion that a request asks for. A datum of the completion that carries it is scored under the
// distributions that its tokens were drawn from.
func (r *SampleRequest) Mask() Mask {
	if r.MinTokens <= 0 {
		return Mask{Never: r.Never}
	}
	return Mask{Never: r.Never, Early: r.Stop, Least: r.MinTokens}
}
