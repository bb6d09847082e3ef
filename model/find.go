package model

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Find returns the folder or .gguf file that a name means: a path that exists, or a model in the Hugging Face cache.
func Find(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	for _, c := range Cached() {
		if strings.EqualFold(c.Name, name) || strings.EqualFold(filepath.Base(c.Name), name) {
			return c.Path, nil
		}
	}
	return "", fmt.Errorf("there is no model %q: write %s, a folder in Hugging Face layout, a .gguf file, or a name that `parley model list` shows", name, Shipped)
}

// A CachedModel is a model in the Hugging Face cache.
type CachedModel struct {
	Name string // such as org/model
	Path string // of the snapshot
}

// Cached lists the models in the Hugging Face cache (HF_HOME, else ~/.cache/huggingface), sorted by name.
func Cached() []CachedModel {
	root := CacheRoot()
	repos, _ := filepath.Glob(filepath.Join(root, "models--*"))
	var out []CachedModel
	for _, repo := range repos {
		for _, s := range snapshots(repo) {
			if path, ok := checkpointIn(s); ok {
				name := strings.ReplaceAll(strings.TrimPrefix(filepath.Base(repo), "models--"), "--", "/")
				out = append(out, CachedModel{name, path})
				break
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// snapshots lists the snapshots of a cached repository: the one that the branch main means first, then the others by name.
func snapshots(repo string) []string {
	all, _ := filepath.Glob(filepath.Join(repo, "snapshots", "*"))
	sort.Strings(all)
	if commit, err := os.ReadFile(filepath.Join(repo, "refs", "main")); err == nil {
		all = append([]string{filepath.Join(repo, "snapshots", strings.TrimSpace(string(commit)))}, all...)
	}
	return all
}

// checkpointIn returns what can be opened in a snapshot: the folder itself, or its only .gguf file.
func checkpointIn(snapshot string) (string, bool) {
	if _, err := os.Stat(filepath.Join(snapshot, "config.json")); err == nil {
		return snapshot, true
	}
	files, _ := filepath.Glob(filepath.Join(snapshot, "*.gguf"))
	if len(files) == 1 {
		return files[0], true
	}
	return "", false
}

// CacheRoot is the folder in which the Hugging Face cache keeps models: hub under HF_HOME, else under ~/.cache/huggingface. It
// is empty where there is neither HF_HOME nor a home folder.
func CacheRoot() string {
	if home := os.Getenv("HF_HOME"); home != "" {
		return filepath.Join(home, "hub")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".cache", "huggingface", "hub")
}
