package dataset

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Splits that file names may say.
const (
	Train      = "train"
	Validation = "validation"
	Test       = "test"
)

// splitWords are the words of file names for each split.
var splitWords = map[string]string{"train": Train, "training": Train, "dev": Validation, "valid": Validation, "validation": Validation, "val": Validation, "test": Test}

var (
	shard = regexp.MustCompile(`-[0-9]+-of-[0-9]+$`)
	word  = regexp.MustCompile(`[a-z]+|[^a-z]+`)
)

// classify reads split and subset from a file's path inside its set. In plain_text/train_r3-00000-of-00001.parquet the split is
// train and the subset plain_text and r3; in R3/dev.jsonl.gz they are validation and r3. A file of no split has "".
func classify(name string) (split string, subset []string) {
	name = strings.ToLower(name)
	for _, e := range endings {
		name = strings.TrimSuffix(name, e)
	}
	name = shard.ReplaceAllString(name, "")
	for part := range strings.SplitSeq(name, "/") {
		before, after := part, ""
		for _, at := range word.FindAllStringIndex(part, -1) {
			if s, ok := splitWords[part[at[0]:at[1]]]; ok && split == "" && alone(part, at) {
				split, before, after = s, part[:at[0]], part[at[1]:]
				break
			}
		}
		for _, rest := range []string{before, after} {
			if rest = strings.Trim(rest, "_-."); rest != "" {
				subset = append(subset, rest)
			}
		}
	}
	return split, subset
}

// alone says whether the word at a place of s has no digit beside it: test2 is no split.
func alone(s string, at []int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	return !digit(at[0]-1) && !digit(at[1])
}

// Of returns the files of a split; "" are those whose names say none.
func (s Set) Of(split string) []File {
	var out []File
	for _, f := range s.Files {
		if f.Split == split {
			out = append(out, f)
		}
	}
	return out
}

// Subset returns the set without the files of other subsets; "" is the whole set.
func (s Set) Subset(name string) (Set, error) {
	if name == "" {
		return s, nil
	}
	out := Set{Name: s.Name}
	var known []string
	for _, f := range s.Files {
		if slices.Contains(f.Subset, strings.ToLower(name)) {
			out.Files = append(out.Files, f)
		}
		known = append(known, f.Subset...)
	}
	if len(out.Files) == 0 {
		slices.Sort(known)
		return Set{}, fmt.Errorf("data set %s has no subset %q: it has %s", s.Name, name, orNone(slices.Compact(known)))
	}
	return out, nil
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// newFile describes a file; inside is its path inside the set, with slashes.
func newFile(where, inside string) File {
	f := File{Path: where}
	f.Split, f.Subset = classify(path.Clean(inside))
	return f
}
