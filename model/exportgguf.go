package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/model/chat"
	"parley/model/config"
	"parley/model/gguf"
	"parley/model/tokenizer"
	"parley/model/weights"
	"parley/model/weights/peft"
)

// ExportGGUF writes src, weights that were made from the model's own, to the new file path, with the model's tokenizer, chat template and end
// tokens, as llama.cpp loads it. dtype is what matrices are stored as: F32, F16, BF16 or Q8_0; empty keeps each matrix's own type, and F32 for
// quantized ones. Rows that are no whole blocks of Q8_0 are F16. Notes are sentences for the user. The file is read again: a part of the model
// that it does not hold is an error that names it.
func (m *Model) ExportGGUF(path string, src weights.Source, dtype string) (notes []string, err error) {
	f, notes, err := m.ggufFile(src, dtype)
	if err == nil {
		err = f.Write(path)
	}
	if err == nil {
		err = m.checkGGUF(path)
	}
	if err != nil {
		return nil, fmt.Errorf("export model %s: %w", m.Name, err)
	}
	return notes, nil
}

// ExportGGUFAdapter writes a low-rank adapter over the model to the new file path, as llama.cpp loads it beside the model.
func (m *Model) ExportGGUFAdapter(path string, a *peft.Adapter) error {
	l, err := weights.LayoutGGUF(m.Source.Config())
	if err != nil {
		return fmt.Errorf("export an adapter of model %s: %w", m.Name, err)
	}
	f, err := gguf.Adapter(a, peft.Modules(m.Source), l)
	if err == nil {
		f.Metadata["general.name"] = m.baseName()
		err = f.Write(path)
	}
	if err != nil {
		return fmt.Errorf("export an adapter of model %s: %w", m.Name, err)
	}
	return nil
}

// ggufFile puts the parts of a file together.
func (m *Model) ggufFile(src weights.Source, dtype string) (*gguf.File, []string, error) {
	l, err := weights.LayoutGGUF(src.Config())
	if err != nil {
		return nil, nil, err
	}
	f, notes := &gguf.File{}, []string(nil)
	if g, ok := m.Source.(*weights.GGUF); ok {
		f.Metadata = ownMetadata(g.Metadata())
		f.Tensors, err = ropeFactors(src.Config(), l)
	} else {
		notes, err = m.folderMetadata(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, t := range src.Tensors() {
		stored, err := storedTensor(src, l, t, dtype)
		if err != nil {
			return nil, nil, err
		}
		f.Tensors = append(f.Tensors, stored)
	}
	notes = append(notes, windowNote(src.Config(), l)...)
	f.Metadata["general.quantization_version"], f.Metadata["general.file_type"] = uint32(2), gguf.FileType(f.Tensors)
	return f, notes, nil
}

// windowNote says where llama.cpp sees more than the model: it knows the windows of Gemma alone.
func windowNote(text []byte, l *weights.GGUFLayout) []string {
	c, err := config.Parse(text)
	if err != nil || strings.HasPrefix(l.Architecture, "gemma") || len(c.Window) == 0 {
		return nil
	}
	if w := slices.Max(c.Window); w > 0 && w < c.Context {
		return []string{fmt.Sprintf("a token of the model sees %d tokens, and in llama.cpp all: for texts longer than that llama.cpp gives other log-probabilities", w)}
	}
	return nil
}

// ownMetadata is what a GGUF file says about itself, without what is of its own way of storing.
func ownMetadata(meta map[string]any) map[string]any {
	out := maps.Clone(meta)
	maps.DeleteFunc(out, func(key string, _ any) bool {
		return strings.HasPrefix(key, "split.") || strings.HasPrefix(key, "quantize.") || key == "general.alignment"
	})
	return out
}

// ropeFactors are the tensors that a GGUF file's source has in its config.json instead.
func ropeFactors(text []byte, l *weights.GGUFLayout) ([]gguf.Tensor, error) {
	c, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	_, tensors, err := gguf.Shape(c, l)
	return tensors, err
}

// storedTensor is a tensor as the file has it: vectors are F32.
func storedTensor(src weights.Source, l *weights.GGUFLayout, t weights.Tensor, dtype string) (gguf.Tensor, error) {
	name, err := l.Name(t.Name)
	if err != nil {
		return gguf.Tensor{}, err
	}
	kind := dtype
	switch {
	case len(t.Shape) < 2:
		kind = "F32"
	case kind == "Q8_0" && t.Shape[len(t.Shape)-1]%32 != 0:
		kind = "F16"
	case kind == "" && slices.Contains([]string{"F16", "BF16"}, t.DType):
		kind = t.DType
	case kind == "":
		kind = "F32"
	}
	return gguf.Tensor{Name: name, Shape: t.Shape, Type: kind, Read: func(dst []float32) error {
		if err := src.Float32(t.Name, dst); err != nil {
			return err
		}
		return l.Store(t.Name, t.Shape[0], dst)
	}}, nil
}

// folderMetadata fills in what a Hugging Face folder says: the shape, the tokenizer, the template.
func (m *Model) folderMetadata(f *gguf.File, l *weights.GGUFLayout) ([]string, error) {
	c, err := config.Parse(m.Source.Config())
	if err != nil {
		return nil, err
	}
	if f.Metadata, f.Tensors, err = gguf.Shape(c, l); err != nil {
		return nil, err
	}
	f.Metadata["general.type"], f.Metadata["general.name"] = "model", m.baseName()
	words, note, err := tokenizer.GGUFMetadata(m.folder, l.Rows)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{"the model has no tokenizer.json: the GGUF file has weights alone, which llama.cpp does not load"}, nil
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(f.Metadata, words)
	var notes []string
	if note != "" {
		notes = append(notes, note)
	}
	left, err := m.addTokens(f.Metadata)
	if err != nil {
		return nil, err
	}
	return append(notes, left...), m.addTemplate(f.Metadata)
}

// addTokens says which tokens begin and end texts and turns. The first end token is the one that tokenizer_config.json names, if it is one.
func (m *Model) addTokens(meta map[string]any) (notes []string, err error) {
	named, err := m.namedTokens()
	if err != nil {
		return nil, err
	}
	for name, key := range map[string]string{"bos_token": "bos", "pad_token": "padding", "unk_token": "unknown"} {
		if id, ok := named[name]; ok && meta["tokenizer.ggml."+key+"_token_id"] == nil {
			meta["tokenizer.ggml."+key+"_token_id"] = uint32(id)
		}
	}
	ends := slices.Clone(m.stop)
	if id, ok := named["eos_token"]; ok {
		if i := slices.Index(ends, id); i > 0 {
			ends[0], ends[i] = ends[i], ends[0]
		}
	}
	keys := []string{"eos", "eot", "eom"}
	for i, id := range ends {
		if i == len(keys) {
			return []string{fmt.Sprintf("of the end tokens %v, GGUF files have places for three: llama.cpp may not end answers at the others", ends)}, nil
		}
		meta["tokenizer.ggml."+keys[i]+"_token_id"] = uint32(id)
	}
	return nil, nil
}

// namedTokens are the ids of the tokens that tokenizer_config.json names.
func (m *Model) namedTokens() (map[string]int, error) {
	var all map[string]json.RawMessage
	if err := readJSON(m.folder, "tokenizer_config.json", &all); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids := map[string]int{}
	for _, name := range []string{"bos_token", "eos_token", "pad_token", "unk_token"} {
		var text string
		var object struct{ Content string }
		if json.Unmarshal(all[name], &text) != nil && json.Unmarshal(all[name], &object) == nil {
			text = object.Content
		}
		if id, ok := m.Tokenizer.ID(text); ok && text != "" {
			ids[name] = id
		}
	}
	return ids, nil
}

// addTemplate adds the chat templates, if there are any: the default one, and others under their names.
func (m *Model) addTemplate(meta map[string]any) error {
	sources, err := chat.SourcesFS(m.folder, ".")
	if errors.Is(err, chat.ErrNoTemplate) {
		return nil
	}
	var named []string
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if name == chat.DefaultName {
			meta["tokenizer.chat_template"] = sources[name]
			continue
		}
		named = append(named, name)
		meta["tokenizer.chat_template."+name] = sources[name]
	}
	if len(named) > 0 {
		meta["tokenizer.chat_templates"] = named
	}
	return err
}

// baseName is the model's name without its folder.
func (m *Model) baseName() string {
	return strings.TrimSuffix(filepath.Base(filepath.ToSlash(m.Name)), ".gguf")
}

// checkGGUF reads a file again and compares the shape with the model's.
func (m *Model) checkGGUF(path string) error {
	g, err := weights.OpenGGUF(path)
	if err != nil {
		return err
	}
	now, err := config.Parse(g.Config())
	if err == nil {
		var was config.Config
		if was, err = config.Parse(m.Source.Config()); err == nil {
			err = gguf.Same(was, now)
		}
	}
	return errors.Join(err, g.Close())
}

// Modelfile is what ollama needs to know of the model beside its file: how dialogues are written, and which texts end an answer.
func (m *Model) Modelfile() gguf.Modelfile {
	var f gguf.Modelfile
	if m.Tokenizer == nil {
		return f
	}
	for _, id := range m.stop {
		if text, ok := m.Tokenizer.Token(id); ok {
			f.Stop = append(f.Stop, text)
		}
	}
	t := m.Template()
	if t == nil {
		f.Template = "{{ range $i, $m := .Messages }}{{ if $i }}\n\n{{ end }}{{ .Content }}{{ end }}"
		return f
	}
	bos := ""
	if ids, err := m.Tokenizer.Encode("a", true); err == nil && len(ids) > 0 && m.Tokenizer.Special(ids[0]) {
		bos, _ = m.Tokenizer.Token(ids[0])
	}
	f.Template = gguf.Template(func(messages []gguf.Message, speak bool) (string, error) {
		in := chat.Input{AddGenerationPrompt: speak, Now: m.Now}
		for _, message := range messages {
			in.Messages = append(in.Messages, chat.NewMessage(message.Role, message.Content))
		}
		return t.Render(in)
	}, bos)
	return f
}
