package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	return "", &NotFoundError{name}
}

// A NotFoundError says that a name is neither a path nor that of a model in the cache.
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("there is no model %q: write %s, a folder in Hugging Face layout, a .gguf file, or a name that `parley model list` shows%s", e.Name, Shipped, e.Pull())
}

// A CachedModel is a model in the Hugging Face cache.
type CachedModel struct {
	Name string // such as org/model
	Path string // of the snapshot
}

// Cached lists the models in the Hugging Face cache ([CacheRoot]), sorted by name.
func Cached() []CachedModel {
	root := CacheRoot()
	var out []CachedModel
	for _, repo := range namesIn(root) {
		name, ok := strings.CutPrefix(repo, "models--")
		if !ok {
			continue
		}
		for _, s := range snapshots(filepath.Join(root, repo)) {
			if path, ok := checkpointIn(s); ok {
				out = append(out, CachedModel{strings.ReplaceAll(name, "--", "/"), path})
				break
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// namesIn lists what is in a folder by name; a folder that cannot be read has nothing. The folder is not a pattern: its name may have brackets.
func namesIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// snapshots lists the snapshots of a cached repository: the one that the branch main means first, then the others by name.
func snapshots(repo string) []string {
	var all []string
	if commit, err := os.ReadFile(filepath.Join(repo, "refs", "main")); err == nil {
		all = append(all, filepath.Join(repo, "snapshots", strings.TrimSpace(string(commit))))
	}
	for _, name := range namesIn(filepath.Join(repo, "snapshots")) {
		all = append(all, filepath.Join(repo, "snapshots", name))
	}
	return all
}

// checkpointIn returns what can be opened in a snapshot: the folder itself, or its only .gguf file.
func checkpointIn(snapshot string) (string, bool) {
	if _, err := os.Stat(filepath.Join(snapshot, "config.json")); err == nil {
		return snapshot, true
	}
	files := slices.DeleteFunc(namesIn(snapshot), func(name string) bool { return filepath.Ext(name) != ".gguf" })
	if len(files) == 1 {
		return filepath.Join(snapshot, files[0]), true
	}
	return "", false
}

// CacheRoot is the folder in which the Hugging Face cache keeps models, as huggingface_hub finds it: HF_HUB_CACHE; hub under HF_HOME;
// huggingface/hub under XDG_CACHE_HOME; the same under ~/.cache. It is empty where there is none of these and no home folder.
func CacheRoot() string {
	if hub := os.Getenv("HF_HUB_CACHE"); hub != "" {
		return hub
	}
	if home := os.Getenv("HF_HOME"); home != "" {
		return filepath.Join(home, "hub")
	}
	if cache := os.Getenv("XDG_CACHE_HOME"); cache != "" {
		return filepath.Join(cache, "huggingface", "hub")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".cache", "huggingface", "hub")
}

// Place is the same for all names of one model: its whole path, links followed; the name itself where it is nowhere, or ships.
func Place(name string) string {
	path, err := Find(name)
	if Ships(name) || err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path
}
