package model

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"parley/internal/plainfile"
	"parley/model/chat"
	"parley/model/shipped"
	"parley/model/tokenizer"
	"parley/model/weights"
)

// OpenTokenizer opens the tokenizer of a model alone: weights need not be there. A tokenizer.json file is a name too.
func OpenTokenizer(name string) (*tokenizer.Tokenizer, error) {
	t, err := openPart(name,
		tokenizer.LoadFS, tokenizer.FromGGUF, tokenizer.Load)
	if err != nil {
		return nil, fmt.Errorf("tokenizer of model %s: %w", name, err)
	}
	return t, nil
}

// OpenTemplate opens the chat template of a model alone, with the tokens that it may print. The error of a model without one
// wraps [chat.ErrNoTemplate]. A file with a template, such as chat_template.jinja, is a name too.
func OpenTemplate(name string) (*chat.Template, error) {
	t, err := openPart(name,
		func(folder fs.FS) (*chat.Template, error) { return chat.LoadFS(folder, ".") },
		chat.FromGGUF,
		func(file string) (*chat.Template, error) {
			data, err := plainfile.Read(file)
			if err != nil {
				return nil, err
			}
			return chat.Parse(string(data))
		})
	if err != nil {
		return nil, fmt.Errorf("chat template of model %s: %w", name, err)
	}
	return t, nil
}

// openPart finds a model and reads a part of it from its folder, from the metadata of its .gguf file, or from a file of its own.
func openPart[Part any](name string, fromFolder func(fs.FS) (*Part, error), fromGGUF func(map[string]any) (*Part, error),
	fromFile func(path string) (*Part, error),
) (*Part, error) {
	if files := shipped.FS(name); files != nil {
		return fromFolder(files)
	}
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return fromFolder(plainfile.Dir(path, maxText))
	case !strings.HasSuffix(strings.ToLower(path), ".gguf"):
		return fromFile(path)
	}
	meta, err := weights.GGUFMetadata(path)
	if err != nil {
		return nil, err
	}
	return fromGGUF(meta)
}
