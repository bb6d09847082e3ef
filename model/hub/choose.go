package hub

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// described are the small files that parley reads of a model, beside its weights.
var described = []string{"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"}

// weightPatterns match the weights of a model in safetensors, one file or shards with their index.
var weightPatterns = []string{"model.safetensors", "model.safetensors.index.json", "model-*-of-*.safetensors"}

// choose returns which of the files to pull, sorted: those that match a pattern, or what parley reads of such a repository, without
// weights where it is to be weightless.
func choose(k kind, files, patterns []string, weightless bool) ([]string, error) {
	switch {
	case len(patterns) > 0:
		return chooseByPatterns(k, files, patterns)
	case k == datasets:
		return chooseRecords(files)
	case weightless:
		return chooseDescription(files)
	}
	return chooseModel(files)
}

// describes says that a file is a small one that parley reads of a model.
func describes(f string) bool {
	return slices.Contains(described, f) || matchesAny([]string{"additional_chat_templates/*.jinja"}, f)
}

// chooseDescription returns configuration and tokenizer.
func chooseDescription(files []string) ([]string, error) {
	if !slices.Contains(files, "config.json") {
		return nil, errors.New("the model has no config.json, so nothing of it is known without its weights")
	}
	chosen := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !describes(f) })
	slices.Sort(chosen)
	return chosen, nil
}

// chooseModel returns configuration, tokenizer and safetensors, or else the one .gguf file.
func chooseModel(files []string) ([]string, error) {
	var chosen, ggufs []string
	weights := false
	for _, f := range files {
		switch {
		case describes(f):
			chosen = append(chosen, f)
		case matchesAny(weightPatterns, f):
			chosen, weights = append(chosen, f), true
		case strings.HasSuffix(strings.ToLower(f), ".gguf"):
			ggufs = append(ggufs, f)
		}
	}
	slices.Sort(chosen)
	slices.Sort(ggufs)
	switch {
	case weights:
		return chosen, nil
	case len(ggufs) == 1:
		return ggufs, nil
	case len(ggufs) > 1:
		return nil, fmt.Errorf("the model has %d .gguf files; choose one with --file: %s", len(ggufs), strings.Join(ggufs, ", "))
	}
	return nil, errors.New("the model has neither model.safetensors nor a .gguf file; parley reads no other weights")
}

// recordPatterns match the files of a data set that hold its records, by form. A set that has them in several forms has them several times:
// the first one is taken.
var recordPatterns = [][]string{
	{"*.parquet"},
	{"*.jsonl", "*.jsonl.gz", "*.jsonl.zst", "*.ndjson"},
	{"*.csv", "*.csv.gz", "*.csv.zst", "*.tsv", "*.tsv.gz", "*.tsv.zst"},
	{"*.json", "*.json.gz", "*.json.zst"},
}

// descriptions are JSON files that describe a data set.
var descriptions = []string{"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json", "package.json", "croissant.json"}

// chooseRecords returns the files of records.
func chooseRecords(files []string) ([]string, error) {
	for _, patterns := range recordPatterns {
		chosen := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !wanted(patterns, f) || wanted(descriptions, f) })
		if len(chosen) > 0 {
			slices.Sort(chosen)
			return chosen, nil
		}
	}
	return nil, errors.New("the data set has no parquet, JSON lines (.jsonl), CSV, TSV or JSON files; choose other files with --file")
}

// chooseByPatterns returns what matches; a pattern that matches nothing is an error.
func chooseByPatterns(k kind, files, patterns []string) ([]string, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, inputErrorf("--file %q is no pattern: %v", p, err)
		}
		if !slices.ContainsFunc(files, func(f string) bool { return wanted([]string{p}, f) }) {
			return nil, fmt.Errorf("the %s has no file %q; it has: %s", k.noun, p, strings.Join(files[:min(len(files), 40)], ", "))
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !wanted(patterns, f) })
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

// matchesAny says whether one of the patterns matches the path f.
func matchesAny(patterns []string, f string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, f)
		return ok
	})
}

// wanted says whether one of the user's patterns matches f or its last part.
func wanted(patterns []string, f string) bool {
	return matchesAny(patterns, f) || matchesAny(patterns, path.Base(f))
}
