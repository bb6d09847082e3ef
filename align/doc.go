// Package align carries what a teacher knows about next tokens over to a student with another tokenizer (FuseLLM, arXiv 2401.10491, §3.2).
//
// A teacher's distribution stands at its own tokens, over its own vocabulary. Both have to be moved:
//
//	vocabulary.go  teacher token → student token, by text                              [Vocabulary]
//	warp.go        teacher positions → student positions, by dynamic time warping      [Warp]
//	rows.go        both together: the target of every student position                 [Aligner.Rows]
//	topk.go        the k most probable tokens of a row of logits                       [Top]
//
// Tokenizers mark the beginning of a word by a character of their own, such as ▁ or Ġ. Vocabularies are compared with the teacher's mark replaced by
// the student's, and there the mark is a character as any other. Positions are compared without marks.
//
// The warping of two tokenisations of one text minimises the sum of edit distances along a path,
//
//	D[i][j] = lev(teacher i, student j) + min(D[i−1][j−1], D[i−1][j], D[i][j−1])
//
// A row at student position s teaches what follows token s. Where the path does not pair s with one teacher token of the same meaning, the row is the
// gold token at s+1: alignment failures become plain language modelling. (The published code takes the token at s there, and so teaches it to repeat.)
// With one tokenizer on both sides everything here is the identity.
package align
