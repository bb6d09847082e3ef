package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"parley/internal/plainfile"
)

// hashed are the files of a folder that decide what a model says.
var hashed = []string{"*.jinja", "*.safetensors", "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}

// Hash identifies the model by its files: the SHA-256 of a .gguf file, or, for a folder, that of the lines which sha256sum prints
// for its weights, configs, tokenizer and templates in the order of their names.
func (m *Model) Hash() (string, error) {
	if m.folder == nil {
		return hashFile(plainfile.Dir(filepath.Dir(m.Path), maxText), filepath.Base(m.Path))
	}
	entries, err := fs.ReadDir(m.folder, ".")
	if err != nil {
		return "", err
	}
	names, err := fs.Glob(m.folder, namedTemplates)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if decides(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	lines := sha256.New()
	for _, name := range names {
		sum, err := hashFile(m.folder, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(lines, "%s  %s\n", sum, name)
	}
	return hex.EncodeToString(lines.Sum(nil)), nil
}

func decides(name string) bool {
	for _, pattern := range hashed {
		if fits, _ := path.Match(pattern, name); fits {
			return true
		}
	}
	return false
}

func hashFile(folder fs.FS, name string) (string, error) {
	file, err := folder.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
