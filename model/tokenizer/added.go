package tokenizer

import (
	"fmt"
)

// addedTokens is what a tokenizer knows of its added tokens.
type addedTokens struct {
	raw        matcher // looked for in the text as it is
	normalized matcher // looked for in what lies between, after the normalizer
	ids        map[string]int
	contents   map[int]string
	special    map[string]bool
}

// newAddedTokens gives each token its id: the model's own if it has the token, else the next one above all there are, in
// the order of the list. The ids that a tokenizer.json states are not read, and a token that is looked for in normalised
// form is decoded as that form: so does the reference. Of tokens that no file has, only those are added that one of so many rows of the embedding
// is for; 0: that is not known.
func newAddedTokens(tokens []Token, m model, n normalizer, rows int) (addedTokens, error) {
	a := addedTokens{ids: map[string]int{}, contents: map[int]string{}, special: map[string]bool{}}
	next := m.len()
	flags := map[string]Token{}
	var order []string
	for _, t := range tokens {
		id, known := m.id(t.Content)
		if t.Content == "" || t.ByClass && !known && rows > 0 && next >= rows {
			continue
		}
		if _, seen := flags[t.Content]; !seen {
			order = append(order, t.Content)
		}
		flags[t.Content] = t
		if t.Special {
			a.special[t.Content] = true
		}
		if _, seen := a.ids[t.Content]; seen {
			continue
		}
		if !known {
			id = next
		}
		next = max(next, id+1)
		a.ids[t.Content], a.contents[id] = id, t.Content
	}
	for _, content := range order {
		t, id := flags[content], a.ids[content]
		if !t.Normalized {
			a.raw.add(content, id, t)
			continue
		}
		if n != nil {
			b := probe(len(content))
			if content = n.normalize(content, b); b.err != nil {
				return a, fmt.Errorf("added token %.80q: %w", t.Content, b.err)
			}
		}
		a.contents[id] = content
		a.normalized.add(content, id, t)
	}
	return a, nil
}
