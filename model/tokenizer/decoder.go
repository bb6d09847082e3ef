package tokenizer

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder rewrites a list of tokens on its way to text: the text is what its parts join to.
type decoder interface {
	decode(tokens []string) []string
}

// decoders apply one after another.
type decoders []decoder

func (d decoders) decode(tokens []string) []string {
	for _, each := range d {
		tokens = each.decode(tokens)
	}
	return tokens
}

// replaceDecoder replaces in each token.
type replaceDecoder struct {
	Pattern pattern        `json:"pattern"`
	Content string         `json:"content"`
	re      *regexp.Regexp // nil: a string is replaced
}

func (d *replaceDecoder) decode(tokens []string) []string {
	return eachToken(tokens, func(_ int, t string) string {
		if d.re != nil && t != "" {
			return d.re.ReplaceAllLiteralString(t, d.Content)
		}
		return strings.ReplaceAll(t, d.Pattern.literal, d.Content)
	})
}

// growth is how many times longer texts may become.
func (d *replaceDecoder) growth() int {
	if d.re != nil {
		return len(d.Content) + 1
	}
	n := len(d.Pattern.literal)
	return max(1, (len(d.Content)+n-1)/n)
}

func eachToken(tokens []string, f func(i int, token string) string) []string {
	for i, t := range tokens {
		tokens[i] = f(i, t)
	}
	return tokens
}

// byteFallback joins runs of tokens <0xNN> to characters. A run that is not UTF-8 gives U+FFFD for each of its bytes.
type byteFallback struct{}

func (byteFallback) decode(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	var run []byte
	flush := func() {
		if utf8.Valid(run) {
			out = append(out, string(run))
		} else {
			out = append(out, strings.Repeat(replacement, len(run)))
		}
		run = run[:0]
	}
	for _, t := range tokens {
		if b, ok := byteToken(t); ok {
			run = append(run, b)
			continue
		}
		if len(run) > 0 {
			flush()
		}
		out = append(out, t)
	}
	if len(run) > 0 {
		flush()
	}
	return out
}

// byteToken reads <0xNN>.
func byteToken(t string) (byte, bool) {
	if len(t) != 6 || t[:3] != "<0x" || t[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(strings.TrimPrefix(t[3:5], "+"), 16, 8)
	return byte(b), err == nil
}

// fuse joins all tokens to one.
type fuse struct{}

func (fuse) decode(tokens []string) []string { return []string{strings.Join(tokens, "")} }

// stripDecoder takes up to Start characters Content from the front of each token, and up to Stop from its end.
type stripDecoder struct {
	Content string `json:"content"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
}

func (d *stripDecoder) decode(tokens []string) []string {
	return eachToken(tokens, func(_ int, t string) string {
		for range d.Start {
			rest, ok := strings.CutPrefix(t, d.Content)
			if !ok {
				break
			}
			t = rest
		}
		for range d.Stop {
			rest, ok := strings.CutSuffix(t, d.Content)
			if !ok {
				break
			}
			t = rest
		}
		return t
	})
}

// bpeDecoder turns end-of-word suffixes into spaces.
type bpeDecoder struct {
	Suffix string `json:"suffix"`
}

func (d *bpeDecoder) decode(tokens []string) []string {
	return eachToken(tokens, func(i int, t string) string {
		space := " "
		if i == len(tokens)-1 {
			space = ""
		}
		return strings.ReplaceAll(t, d.Suffix, space)
	})
}

// growth is that of an empty suffix: a space between all characters.
func (d *bpeDecoder) growth() int {
	if d.Suffix == "" {
		return 2
	}
	return 1
}

// wordPieceDecoder joins pieces that begin with Prefix to the word before and puts spaces between the others.
type wordPieceDecoder struct {
	Prefix  string `json:"prefix"`
	Cleanup bool   `json:"cleanup"`
}

func (d *wordPieceDecoder) decode(tokens []string) []string {
	return eachToken(tokens, func(i int, t string) string {
		if i > 0 {
			if rest, ok := strings.CutPrefix(t, d.Prefix); ok {
				t = rest
			} else {
				t = " " + t
			}
		}
		if d.Cleanup {
			t = cleanUp(t)
		}
		return t
	})
}

// cleanUps undo the spaces that splitting at punctuation has put in. They apply one after another.
var cleanUps = [][2]string{
	{" .", "."},
	{" ?", "?"},
	{" !", "!"},
	{" ,", ","},
	{" ' ", "'"},
	{" n't", "n't"},
	{" 'm", "'m"},
	{" do not", " don't"},
	{" 's", "'s"},
	{" 've", "'ve"},
	{" 're", "'re"},
}

func cleanUp(s string) string {
	for _, c := range cleanUps {
		s = strings.ReplaceAll(s, c[0], c[1])
	}
	return s
}

// ctcDecoder reads the output of connectionist temporal classification: repeated tokens count once, pads not at all.
type ctcDecoder struct {
	PadToken           string `json:"pad_token"`
	WordDelimiterToken string `json:"word_delimiter_token"`
	Cleanup            bool   `json:"cleanup"`
}

// growth is that of an empty delimiter: a space between all characters.
func (d *ctcDecoder) growth() int {
	if d.WordDelimiterToken == "" {
		return 2
	}
	return 1
}

func (d *ctcDecoder) decode(tokens []string) []string {
	var out []string
	for i, t := range tokens {
		if i > 0 && t == tokens[i-1] {
			continue
		}
		t = strings.ReplaceAll(t, d.PadToken, "")
		if d.Cleanup {
			t = strings.ReplaceAll(cleanUp(t), d.WordDelimiterToken, " ")
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}
