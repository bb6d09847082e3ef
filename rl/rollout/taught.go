package rollout

import "parley/engine"

// A Teaching is what a teacher says about the tokens of a completion: the text is given, and a teacher with a tokenizer of its own has read it.
type Teaching struct {
	Teacher string  `json:"teacher"`
	CE      float64 `json:"ce"`     // mean cross-entropy of the text, a token of the teacher's
	Tokens  int     `json:"tokens"` // of the teacher's
	Chars   int     `json:"chars"`  // of the text
	// Rows are distributions over the next token, one before every token of the completion, in tokens of the completion's policy.
	Rows [][]engine.Target `json:"rows"`
}
