package openai

// spoken is what was said of one text while its tokens were drawn.
type spoken struct {
	text   int // bytes
	told   int // tokens
	length int // of these tokens, in characters
	// Tokens whose text has not become certain yet.
	ids      []int
	logprobs []float32
}

// note is told of a token before its text.
func (s *spoken) note(id int, logprob float32) {
	s.ids, s.logprobs = append(s.ids, id), append(s.logprobs, logprob)
}

// weighs says that tokens are told with their log-probabilities.
func (s *spoken) weighs() bool { return s.told+len(s.ids) > 0 }

// next counts a piece of the text, and returns the tokens that it is told with.
func (s *spoken) next(piece string) (ids []int, logprobs []float32) {
	ids, logprobs = s.ids, s.logprobs
	s.text, s.told = s.text+len(piece), s.told+len(ids)
	s.ids, s.logprobs = nil, nil
	return ids, logprobs
}

// rest are the pieces of a text that were not said yet, one for each of its tokens that were not told. What a token adds to the text may be nothing:
// half a character, or what ended the text and is no part of it. The last piece has all that is left. push reads the tokens of a text one by one.
func (s *spoken) rest(push func(id int) string, tokens []int, text string) []string {
	at := 0
	var out []string
	for i, id := range tokens {
		if at = min(at+len(push(id)), len(text)); i == len(tokens)-1 {
			at = len(text)
		}
		if i >= s.told {
			from := min(s.text, at)
			out = append(out, text[from:at])
			s.text = max(s.text, at)
		}
	}
	return out
}
