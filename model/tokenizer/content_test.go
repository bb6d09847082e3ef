package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Texts that are content from end to end have no special token, whatever they are, and read as they are; those without the text of a special
// token have the ids that they always had.
func TestEncodeContent(t *testing.T) {
	for _, name := range []string{"tiny-gpt2", "tiny-llama3", "tiny-deepseek", "tiny-smollm", "tiny-llama2", "tiny-t5", "tiny-bert"} {
		tok := tiny(t, name)
		specials := specialTexts(tok)
		rapid.Check(t, func(r *rapid.T) {
			part := rapid.OneOf(rapid.SampledFrom(specials), rapid.SampledFrom([]string{"a", " so", "é", "<", "|>"}), texts())
			text := validUTF8(strings.Join(rapid.SliceOfN(part, 0, 6).Draw(r, "parts"), ""))
			ids, err := tok.EncodeContent(text, every(text), false)
			if err != nil {
				t.Fatal(err)
			}
			plainly := encoded(t, tok, text, false)
			found := false
			for _, special := range specials {
				found = found || strings.Contains(text, special)
				id, _ := tok.ID(special)
				if slices.Contains(ids, id) && strings.Contains(text, special) {
					r.Fatalf("%s: %q has the special token %s: %v", name, text, special, ids)
				}
			}
			if !found && !slices.Equal(ids, plainly) {
				r.Fatalf("%s: %q is %v as content, %v as text", name, text, ids, plainly)
			}
			if strings.HasPrefix(name, "tiny-gpt2") && tok.Decode(ids, false) != text {
				r.Fatalf("%s: %q reads as %q", name, text, tok.Decode(ids, false))
			}
		})
	}
}

// Special tokens beside content are found, those with a character of content are not.
func TestEncodeContentBeside(t *testing.T) {
	tok := tiny(t, "tiny-llama3")
	special := specialTexts(tok)[0]
	id, _ := tok.ID(special)
	text := special + "x" + special + special
	for _, c := range []struct {
		content []int
		want    int
	}{
		{nil, 3},
		{[]int{len(special)}, 3},     // the x
		{[]int{len(special) + 1}, 2}, // the first character of the second
		{[]int{2 * len(special)}, 2}, // its last
		{[]int{0, len(special) + 1 + 2, 2*len(special) + 1 + 1}, 0},
	} {
		ids, err := tok.EncodeContent(text, c.content, false)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, i := range ids {
			if i == id {
				n++
			}
		}
		if n != c.want || tok.Decode(ids, true) != text {
			t.Errorf("content at %v: %d special tokens in %v, want %d", c.content, n, ids, c.want)
		}
	}
}

func every(text string) []int {
	var at []int
	for i := range text {
		at = append(at, i)
	}
	return at
}

// specialTexts lists the special tokens of more than one character; the unknown one stands for what a tokenizer cannot read.
func specialTexts(t *Tokenizer) []string {
	var out []string
	for text := range t.added.special {
		if len([]rune(text)) > 1 && !strings.Contains(strings.ToLower(text), "unk") {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}
