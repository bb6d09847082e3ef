package engine

// A Mask says which tokens are not drawn, place by place. Their logits count as −∞ before the temperature and the cuts of [Sampling], so
// the other tokens share all probability.
type Mask struct {
	Never [][2]int `json:"never,omitempty"` // ids from, ..., to-1 of each [from, to], at no place: those that the tokenizer has no text for, say
	Early []int    `json:"early,omitempty"` // not among the first Least new tokens: end tokens
	Least int      `json:"least,omitempty"`
	// Form is what the completion is a text of, as package form reads it; empty: any. Then at every place those tokens stay behind which it can still become
	// one, no special tokens, and those of Early exactly where it may end. Limit is the most new tokens: where the context leaves fewer, those count. Tokens
	// behind which it can no longer end within that are out, unless no text of the form can.
	Form  string `json:"form,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// Forced is the mask of the form alone, of which all tokens of a completion are: none where there is no form.
func (m Mask) Forced() Mask {
	if m.Form == "" {
		return Mask{}
	}
	return Mask{Early: m.Early, Form: m.Form, Limit: m.Limit}
}

// Mask is that of the completion that a request asks for. A datum of the completion that carries it is scored under the
// distributions that its tokens were drawn from.
func (r *SampleRequest) Mask() Mask {
	if r.Form != "" {
		return Mask{Never: r.Never, Early: r.Stop, Form: r.Form, Limit: r.MaxTokens}
	}
	if r.MinTokens <= 0 {
		return Mask{Never: r.Never}
	}
	return Mask{Never: r.Never, Early: r.Stop, Least: r.MinTokens}
}
