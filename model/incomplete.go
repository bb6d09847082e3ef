package model

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"parley/internal/plainfile"
	"parley/model/chat"
	"parley/model/tokenizer"
	"parley/model/weights"
)

// OpenIncomplete opens a model that may lack what training needs beside weights: a tokenizer (Tokenizer is then nil, and
// neither Prompt nor Text may be called), a chat template, end tokens. Weights alone are enough to score and sample ids.
func OpenIncomplete(name string) (*Model, error) {
	if Ships(name) {
		return Open(name)
	}
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(path), ".gguf") {
		return openIncompleteGGUF(name, path)
	}
	m := &Model{Name: name, Path: path, folder: plainfile.Dir(path, maxText)}
	if m.Source, err = weights.Open(path); err != nil {
		return nil, err
	}
	if err := m.readWhatIsThere(plainfile.Dir(path, maxText)); err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), m.Source.Close())
	}
	return m, nil
}

// openIncompleteGGUF opens a .gguf file that may have tensors alone.
func openIncompleteGGUF(name, path string) (*Model, error) {
	file, err := weights.OpenGGUF(path)
	if err != nil {
		return nil, err
	}
	if _, ok := file.Metadata()["tokenizer.ggml.tokens"]; ok {
		return ggufModel(name, path, file)
	}
	m := &Model{Name: name, Path: path, Source: file}
	if m.template, err = newTemplate(chat.FromGGUF(file.Metadata())); err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), file.Close())
	}
	if err := m.settleEnds(ggufEnds(file.Metadata())); err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), file.Close())
	}
	return m, nil
}

// readWhatIsThere reads settings, and the tokenizer where there is one.
func (m *Model) readWhatIsThere(folder fs.FS) error {
	declared, err := folderEnds(folder)
	if err != nil {
		return err
	}
	m.Tokenizer, err = tokenizer.LoadFS(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.template, err = newTemplate(chat.LoadFS(folder, ".")); err == nil {
		err = m.settleEnds(declared)
	}
	m.readTokens()
	return err
}

// Template returns the model's chat template, or nil where it has none.
func (m *Model) Template() *chat.Template { return m.template.chat }
