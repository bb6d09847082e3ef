// Package model opens a base model: the weights, the tokenizer, the chat template and the end tokens that belong together.
//
// [Open] takes what users write: a name of [Ships] for a small model in the binary, a folder in Hugging Face layout, a .gguf file,
// or the name of a model in the Hugging Face cache. A [Model] is the codec of a rollout: it renders dialogues as token ids
// and completions as text.
package model

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"parley/internal/plainfile"
	"parley/model/chat"
	"parley/model/shipped"
	"parley/model/tokenizer"
	"parley/model/weights"
)

// Shipped is the name of the base model in the binary that is for sums. There are others: see [Ships].
const Shipped = shipped.Sums

// Ships says that a name is one of a base model in the binary.
func Ships(name string) bool { return shipped.FS(name) != nil }

// maxText bounds the files beside the weights: the largest tokenizers have some 40 MB.
const maxText = 512 << 20

// A Model is an open base model.
type Model struct {
	Name      string // as the user wrote it
	Path      string // where it was found; empty for one in the binary
	Source    weights.Source
	Tokenizer *tokenizer.Tokenizer
	folder    fs.FS // its files; nil for a .gguf file
	template  *dialogueTemplate
	stop      []int
	ends      []End // with the ids of stop
	declared  []declaration
	notes     []string // what is odd in its files
	unused    [][2]int
	control   *chat.Control // special tokens
	// AllowControl lets content have control tokens: what is written like one, in a question or an answer, becomes one.
	AllowControl bool
	// Now is the time that chat templates print which print one.
	Now time.Time
}

// Open opens a model by name, folder or file.
func Open(name string) (*Model, error) {
	if files := shipped.FS(name); files != nil {
		return openFolder(name, "", files)
	}
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(path), ".gguf") {
		return openGGUF(name, path)
	}
	return openFolder(name, path, plainfile.Dir(path, maxText))
}

// openFolder opens a folder in Hugging Face layout. path is empty for a folder in the binary.
func openFolder(name, path string, folder fs.FS) (*Model, error) {
	m := &Model{Name: name, Path: path, folder: folder}
	var err error
	if path == "" {
		m.Source, err = weights.OpenFS(folder, ".")
	} else {
		m.Source, err = weights.Open(path)
	}
	if err != nil {
		return nil, err
	}
	return m.readFolder()
}

// readFolder reads what lies beside the weights.
func (m *Model) readFolder() (_ *Model, err error) {
	if m.declared, err = folderEnds(m.folder); err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", m.Name, err), m.Source.Close())
	}
	if m.Tokenizer, err = tokenizer.LoadRows(m.folder, m.embeddings()); err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", m.Name, err), m.Source.Close())
	}
	return m, m.finish(chat.LoadFS(m.folder, "."))
}

// openGGUF opens a .gguf file, which brings its tokenizer and template along.
func openGGUF(name, path string) (*Model, error) {
	file, err := weights.OpenGGUF(path)
	if err != nil {
		return nil, err
	}
	return ggufModel(name, path, file)
}

// ggufModel takes the parts of a model from an open file.
func ggufModel(name, path string, file *weights.GGUF) (*Model, error) {
	m := &Model{Name: name, Path: path, Source: file}
	var err error
	if m.Tokenizer, err = tokenizer.FromGGUF(file.Metadata()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: tokenizer: %w", path, err), file.Close())
	}
	if note := tokenizer.GGUFNote(file.Metadata()); note != "" {
		m.notes = append(m.notes, note)
	}
	m.declared = ggufEnds(file.Metadata())
	return m, m.finish(chat.FromGGUF(file.Metadata()))
}

// finish sets the chat template, as package chat found it, and checks that the parts fit together.
func (m *Model) finish(t *chat.Template, err error) error {
	if m.template, err = newTemplate(t, err); err == nil {
		err = m.settleEnds(m.declared)
	}
	if err == nil {
		err = m.check()
	}
	m.readTokens()
	if err != nil {
		return errors.Join(fmt.Errorf("model %s: %w", m.Name, err), m.Source.Close())
	}
	return nil
}

// check compares the tokenizer with the embedding.
func (m *Model) check() error {
	if len(m.stop) == 0 {
		return fmt.Errorf("no end token is known: generation_config.json or config.json must have eos_token_id, or tokenizer_config.json eos_token")
	}
	if rows := m.embeddings(); rows > 0 && rows < m.Tokenizer.Size() {
		first := "" // ids may have a gap
		for id := rows; first == "" && id < m.Tokenizer.Size(); id++ {
			first, _ = m.Tokenizer.Token(id)
		}
		return fmt.Errorf("the tokenizer has %d tokens, but the embedding only %d rows: the first without one is %q; tokenizer.json, tokenizer_config.json, "+
			"special_tokens_map.json or added_tokens.json declares it and does not belong to the weights", m.Tokenizer.Size(), rows, first)
	}
	return nil
}

// Close releases the weights.
func (m *Model) Close() error { return m.Source.Close() }

// Prompt renders a dialogue up to the point where the model speaks, as token ids.
func (m *Model) Prompt(dialogue []chat.Turn) ([]int, error) {
	return m.PromptFor(chat.Dialogue{Turns: dialogue})
}

// PromptFor is Prompt of a dialogue that may have definitions of functions beside it, or go on within its last message.
func (m *Model) PromptFor(dialogue chat.Dialogue) ([]int, error) {
	text, content, err := m.template.render(dialogue, m.controls(), m.Now)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return m.encode(text, content, m.template.special)
}

// Encode returns the tokens of a content, such as an answer, without special tokens around it or, unless AllowControl is set, in it.
func (m *Model) Encode(text string) ([]int, error) {
	text = tokenizer.ValidUTF8(text)
	return m.encode(text, m.controls().Places(text), false)
}

// encode names the model where its tokenizer gives up.
func (m *Model) encode(text string, content []int, special bool) ([]int, error) {
	ids, err := m.Tokenizer.EncodeContent(text, content, special)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return ids, nil
}

// Text decodes tokens of a completion, special tokens left out.
func (m *Model) Text(tokens []int) string { return m.Tokenizer.Decode(tokens, false) }

// Notes returns what users should know of the model's files: where they disagree and which of them counts, and what the chat template
// closes answers with where that is no token.
func (m *Model) Notes() []string { return slices.Concat(weights.Notes(m.Source), m.notes) }
