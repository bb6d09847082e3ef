package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// A Token is a token that is cut out of the text before a tokenizer's model sees it.
type Token struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only where no word character touches it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`      // takes the white space after it
	Normalized bool   `json:"normalized"`  // is looked for in the normalised text, in normalised form
	Special    bool   `json:"special"`     // is left out when decoding
	ByClass    bool   `json:"-"`           // no file has it: it comes with the tokenizer's class
}

// A Named token is one that the files give a name, such as eos_token.
type Named struct {
	Name  string
	Token Token
}

// Declared is what the files beside a tokenizer.json say of tokens, as transformers 5 takes them:
//
//	tokenizer_config.json     added_tokens_decoder; the entries that end in _token; extra_special_tokens, or additional_special_tokens
//	special_tokens_map.json   the latter two again: what it says counts before the config
//	added_tokens.json         texts with their ids
//	tokenizer_class           the names that the class has of itself, where the files give no others
//
// Where the config has added_tokens_decoder, the other two files are not read. [ReadDeclared] gives the [Declared] tokens, and [Declared.Tokens]
// the order in which a tokenizer takes them up. Ids that the files state are not honoured: they only order the tokens.
type Declared struct {
	Named []Named // the usual names first, then the model's own

	decoder map[int]Token // by the ids that the files state
	closed  bool          // the decoder is that of the config, which is complete
	extra   []entry
}

// usual are the names that all tokenizers may have, in the order in which new tokens among them are added.
var usual = []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}

// ReadDeclared reads the files of a folder; each of them may be missing.
func ReadDeclared(folder fs.FS, dir string) (*Declared, error) {
	const configName, mapName, addedName = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
	var config, tokens members
	if err := readJSON(folder, dir, configName, &config); err != nil {
		return nil, err
	}
	class, err := tokenizerClass(folder, dir, config)
	if err != nil {
		return nil, err
	}
	n := newNames(class)
	if err := n.config(config); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	d := &Declared{decoder: map[int]Token{}}
	if raw, ok := config.get("added_tokens_decoder"); ok {
		d.closed = true
		var stated map[int]entry
		if err := json.Unmarshal(raw, &stated); err != nil {
			return nil, fmt.Errorf("%s: added_tokens_decoder: %w", configName, err)
		}
		for id, e := range stated {
			d.decoder[id] = e.Token
		}
		return d, d.settle(n, nil)
	}
	if err := readJSON(folder, dir, mapName, &tokens); err != nil {
		return nil, err
	}
	if err := n.specialMap(tokens); err != nil {
		return nil, fmt.Errorf("%s: %w", mapName, err)
	}
	var added map[string]int
	if err := readJSON(folder, dir, addedName, &added); err != nil {
		return nil, err
	}
	return d, d.settle(n, added)
}

// settle takes the names, and the tokens of added_tokens.json.
func (d *Declared) settle(n *names, added map[string]int) error {
	d.Named, d.extra = n.list(), n.extras()
	special := map[string]bool{}
	for _, t := range d.Named {
		if slices.Contains(usual, t.Name) {
			special[t.Token.Content] = true
		}
	}
	for _, e := range n.extra { // not those of special_tokens_map.json's additional_special_tokens: transformers takes them later
		special[e.Content] = true
	}
	for _, text := range slices.Sorted(maps.Keys(added)) {
		id := added[text]
		if other, twice := d.decoder[id]; twice {
			return fmt.Errorf("added_tokens.json: %q and %q both have the id %d", other.Content, text, id)
		}
		d.decoder[id] = Token{ID: id, Content: text, Normalized: !special[text], Special: special[text]}
	}
	return nil
}

// Texts returns what the named tokens are written as.
func (d *Declared) Texts() map[string]string {
	out := map[string]string{}
	for _, n := range d.Named {
		out[n.Name] = n.Token.Content
	}
	return out
}

// Tokens lists all that a tokenizer adds, in order, behind its own added tokens. Those of its own that are listed again only change what they
// are like. pad is the text that tokenizer.json pads with; empty: none.
func (d *Declared) Tokens(own []Token, pad string) []Token {
	decoder := maps.Clone(d.decoder)
	if !d.closed {
		for _, t := range own {
			decoder[t.ID] = t
		}
	}
	named := d.padded(pad)
	isNamed, taken := map[string]bool{}, map[string]bool{}
	for _, n := range named {
		isNamed[n.Token.Content] = true
	}
	for _, t := range own {
		taken[t.Content] = true
	}
	var all []Token
	for _, id := range slices.Sorted(maps.Keys(decoder)) {
		all, taken[decoder[id].Content] = append(all, decoder[id]), true
	}
	for _, n := range named {
		if !taken[n.Token.Content] {
			all = append(all, n.Token)
		}
	}
	for _, e := range d.extra {
		if !taken[e.Content] {
			all = append(all, e.Token)
		}
	}
	for i, t := range all {
		all[i].Special = t.Special || isNamed[t.Content]
	}
	return all
}

// padded are the named tokens, with the one that tokenizer.json pads with where no other is named.
func (d *Declared) padded(pad string) []Named {
	const name = "pad_token"
	if pad == "" || slices.ContainsFunc(d.Named, func(n Named) bool { return n.Name == name }) {
		return d.Named
	}
	at := slices.IndexFunc(d.Named, func(n Named) bool {
		return slices.Index(usual, n.Name) > slices.Index(usual, name) || !slices.Contains(usual, n.Name)
	})
	if at < 0 {
		at = len(d.Named)
	}
	return slices.Insert(slices.Clone(d.Named), at, Named{Name: name, Token: Token{Content: pad}})
}

// readJSON reads a file that need not be there.
func readJSON(folder fs.FS, dir, name string, into any) error {
	data, err := fs.ReadFile(folder, path.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
