package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// GGUFMetadata writes the tokenizer of a folder in Hugging Face layout as the metadata of a GGUF file with a list of so many tokens, the inverse of [FromGGUF]. Byte-level BPE
// becomes model gpt2, the BPE of SentencePiece becomes model llama. The result is read again and compared on a text of many kinds of words.
// Byte-level BPE must give the same tokens; else there is an error. SentencePiece joins by scores where tokenizer.json has a list of merges,
// which need not be the same: note says where the two differ.
func GGUFMetadata(folder fs.FS, rows int) (meta map[string]any, note string, err error) {
	data, declared, err := readFolder(folder)
	if err != nil {
		return nil, "", err
	}
	w, err := newGGUFTokens(data, declared, rows)
	if err != nil {
		return nil, "", err
	}
	fewest := -1
	for _, try := range w.variants() {
		m := w.metadata(try)
		back, err := FromGGUF(m)
		if err != nil {
			return nil, "", err
		}
		others := w.others(back)
		if len(others) == 0 && w.sameWords(back, try) {
			return m, "", nil
		}
		if !w.bpe.raw && 2*len(others) < strings.Count(probingText, "\n") && (fewest < 0 || len(others) < fewest) {
			meta, fewest = m, len(others)
			note = fmt.Sprintf("tokenizers of GGUF files cut %q otherwise than the tokenizer.json does", others[0])
		}
	}
	if meta == nil {
		err = fmt.Errorf("tokenizer.json cuts or spells text in a way for which GGUF files have no name; known are those of %s, and SentencePiece",
			strings.Join(ggufPreferred, ", "))
	}
	return meta, note, err
}

// ggufTokens is a tokenizer on its way into a GGUF file.
type ggufTokens struct {
	from   *Tokenizer
	bpe    *bpe
	merges []mergePair
	rows   int
}

func newGGUFTokens(data []byte, declared *Declared, rows int) (*ggufTokens, error) {
	f, err := readFile(data, declared, rows)
	if err != nil {
		return nil, err
	}
	from, err := f.build()
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	b, ok := from.model.(*bpe)
	if !ok || b.prefix != "" || b.suffix != "" || !b.raw && !b.byteFallback {
		return nil, errors.New("tokenizer.json has a model that cannot be written into a GGUF file here: only byte-level BPE and the BPE of SentencePiece can")
	}
	var m modelFile
	if err := json.Unmarshal(f.Model, &m); err != nil {
		return nil, fmt.Errorf("tokenizer.json: model: %w", err)
	}
	merges, err := parseMerges(m.Merges)
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return &ggufTokens{from, b, merges, max(rows, from.size)}, nil
}

// A ggufVariant is what the metadata say by name or by a flag.
type ggufVariant struct {
	pre         string // of byte-level BPE: how text is cut into words; empty: SentencePiece
	spacePrefix bool   // of SentencePiece: a space is put before the text
}

// ggufPreferred are the names of splits that are tried first: of several names for one split the best known.
var ggufPreferred = []string{"llama-bpe", "qwen2", "smollm", "gpt-2", "tekken", "gpt-4o", "deepseek-v3"}

// variants lists what may describe the tokenizer.
func (w *ggufTokens) variants() []ggufVariant {
	if !w.bpe.raw {
		return []ggufVariant{{spacePrefix: true}, {spacePrefix: false}}
	}
	names := slices.Clone(ggufPreferred)
	for name := range ggufSplits {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(ggufPreferred):])
	words, failed := wordsOf(w.from.preTokenizer)
	var fits []ggufVariant
	for _, name := range names {
		if pre, err := ggufSplits[name].preTokenizer(); err == nil {
			pre.(preTokenizers)[len(pre.(preTokenizers))-1].(*byteLevel).raw = true
			cut, err := wordsOf(pre)
			same := failed == nil && err == nil && slices.Equal(words, cut)
			if same || len(w.merges) == 0 { // then words do not matter: their bytes are the tokens
				fits = append(fits, ggufVariant{pre: name})
			}
		}
	}
	return fits
}

// wordsOf cuts the probing text into words.
func wordsOf(pre preTokenizer) ([]string, error) {
	t := Tokenizer{preTokenizer: pre}
	return t.Words(norm.NFC.String(probingText))
}

// others lists the lines of the probing text that a tokenizer which was read again cuts otherwise.
func (w *ggufTokens) others(back *Tokenizer) []string {
	var out []string
	for line := range strings.Lines(norm.NFC.String(probingText)) {
		if !sameIDs(back, w.from, line, true) {
			out = append(out, line)
		}
	}
	return out
}

// sameIDs reports whether two tokenizers both encode a text, and alike.
func sameIDs(a, b *Tokenizer, text string, special bool) bool {
	one, err := a.Encode(text, special)
	other, err2 := b.Encode(text, special)
	return err == nil && err2 == nil && slices.Equal(one, other)
}

// sameWords compares every token as a word, where only one of the two tokenizers takes whole words for tokens.
func (w *ggufTokens) sameWords(back *Tokenizer, try ggufVariant) bool {
	if ggufSplits[try.pre].ignoreMerges == w.bpe.ignoreMerges {
		return true
	}
	for _, token := range w.bpe.tokens {
		bytes, ok := fromByteChars(nil, token)
		if word := string(bytes); ok && validUTF8(word) == word && !sameIDs(back, w.from, word, false) {
			return false
		}
	}
	return true
}

func (w *ggufTokens) metadata(v ggufVariant) map[string]any {
	tokens, types := w.list()
	meta := map[string]any{ggufPrefix + "tokens": tokens, ggufPrefix + "token_type": types}
	w.addEnds(meta)
	if v.pre != "" {
		lines := make([]string, len(w.merges))
		for i, m := range w.merges {
			lines[i] = m.left + " " + m.right
		}
		meta[ggufPrefix+"model"], meta[ggufPrefix+"pre"], meta[ggufPrefix+"merges"] = "gpt2", v.pre, lines
		return meta
	}
	meta[ggufPrefix+"model"], meta[ggufPrefix+"pre"] = "llama", "default"
	meta[ggufPrefix+"scores"], meta[ggufPrefix+"add_space_prefix"] = w.scores(len(tokens)), v.spacePrefix
	if w.bpe.unknown >= 0 {
		meta[ggufPrefix+"unknown_token_id"] = uint32(w.bpe.unknown)
	}
	return meta
}

// The types of tokens beside those that are read.
const (
	ggufNormal  = 1
	ggufUnknown = 2
	ggufByte    = 6
)

// list returns all tokens with their types. Rows of the embedding without a token are filled up.
func (w *ggufTokens) list() (tokens []string, types []int32) {
	tokens, types = make([]string, w.rows), make([]int32, w.rows)
	for id := range tokens {
		token, ok := w.from.Token(id)
		if !ok {
			tokens[id], types[id] = fmt.Sprintf("[PAD%d]", id), ggufUnused
			continue
		}
		tokens[id], types[id] = token, w.typeOf(id, token)
	}
	return tokens, types
}

func (w *ggufTokens) typeOf(id int, token string) int32 {
	_, added := w.from.added.contents[id]
	switch {
	case !w.bpe.raw && id == w.bpe.unknown:
		return ggufUnknown
	case added && w.from.added.special[token]:
		return ggufControl
	case added:
		return ggufUserDefined
	case !w.bpe.raw && len(token) == 6 && strings.HasPrefix(token, "<0x") && strings.HasSuffix(token, ">"):
		return ggufByte
	}
	return ggufNormal
}

// scores are what SentencePiece joins by: the better, the earlier the merge that makes a token. Tokens that no merge makes come last.
func (w *ggufTokens) scores(n int) []float32 {
	const none = -1e6
	scores := make([]float32, n)
	made := make([]bool, n)
	for rank, m := range w.merges {
		if id, ok := w.bpe.id(m.left + m.right); ok && !made[id] {
			scores[id], made[id] = -float32(rank), true
		}
	}
	for id := range scores {
		if !made[id] {
			scores[id] = none
		}
	}
	return scores
}

// addEnds says which tokens surround a text.
func (w *ggufTokens) addEnds(meta map[string]any) {
	before, after := true, false
	meta[ggufPrefix+"add_bos_token"], meta[ggufPrefix+"add_eos_token"] = false, false
	for _, part := range w.from.template {
		switch {
		case part.text:
			before, after = false, true
		case before:
			meta[ggufPrefix+"add_bos_token"], meta[ggufPrefix+"bos_token_id"] = true, uint32(part.id)
		case after:
			meta[ggufPrefix+"add_eos_token"], meta[ggufPrefix+"eos_token_id"] = true, uint32(part.id)
		}
	}
}

// probingText has words of many kinds: two tokenizers that cut it alike cut any text alike, as far as the known ones differ.
const probingText = "Hello World's end, isn't it? I'LL DON'T we've 'tis l'été\n" +
	"numbers 1 12 123 1234 12345 1,234.56 x2y 3rd ²³ ½ ٣٤ 一二三 Ⅷ\n" +
	"  two spaces,   three\ttab\t\tx \n\n \n  indented\r\nwindows\r\n\r\n" +
	"snake_case camelCase HTTPServer McDonald ÉCOLE Straße ǅungla\n" +
	"def f(x):\n    return x**2 != y//3  # comment\n\tif (a&&b)||c: {\"k\":[1,2]}\n" +
	"!!! ??? ... --- == /// \\\\ <> $5.00 50% a@b.c http://x.y/z?q=1 /path/to/ ~\n" +
	"中文字符，标点。日本語テキスト 한국어 العربية עברית हिन्दी ไทย Ελληνικά Русский\n" +
	"emoji 🙂🚀👨‍👩‍👧 flags 🇩🇪 zero\u200bwidth nbsp\u00a0x\u3000y é (combining é)\n" +
	"(word) \"quoted\" ‘curly’ “double” — – … don’t WE’RE\n trailing   "
