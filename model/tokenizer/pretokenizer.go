package tokenizer

// A piece is a part of the text on its way to the model.
type piece struct {
	text  string // not empty
	first bool   // begins where the whole text begins
}

// part returns p.text[i:j] as a piece.
func (p piece) part(i, j int) piece { return piece{p.text[i:j], p.first && i == 0} }

// emit takes the next piece. Pieces come in the order of the text.
type emit func(piece)

// A preTokenizer cuts pieces into smaller ones. It is a stage of a pipeline: stage returns the function that takes a piece
// and hands its parts, all that are not empty, to next.
type preTokenizer interface {
	stage(next emit) emit
}

// preTokenizers is a pipeline of several.
type preTokenizers []preTokenizer

func (s preTokenizers) stage(next emit) emit {
	for i := len(s) - 1; i >= 0; i-- {
		next = s[i].stage(next)
	}
	return next
}
