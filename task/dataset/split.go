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

// The names that people give to splits. They may have a number beside them, train1, and what they are of, train_set. eval and holdout
// stand for what is held out of training; a set that has test files beside them has them for validation.
var splitWords = []struct {
	split string
	form  *regexp.Regexp
}{
	{Train, splitForm(`train|training|trn`)},
	{Validation, splitForm(`dev|devel|development|val|valid|validate|validation`)},
	{Test, splitForm(`tests?|testing|tst|` + evaluationWords)},
}

const evaluationWords = `evals?|evaluate|evaluations?|holdouts?|hold[-_. ]?out|heldout|held[-_. ]?out`

var (
	evaluationForm = splitForm(evaluationWords)
	shard          = regexp.MustCompile(`[-_.]?[0-9]+-of-[0-9]+$`)
)

// splitForm matches one of the words where no other letter stands beside it.
func splitForm(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-z])((?:` + words + `)(?:[-_. ]?(?:set|split|data|file))?)(?:$|[^a-z])`)
}

// classify reads split and subset from a file's path inside its set. In plain_text/train_r3-00000-of-00001.parquet the split is
// train and the subset plain_text and r3; in R3/dev.jsonl.gz they are validation and r3. The file's own name counts before those of its
// folders, and a nearer folder before one that is farther: training-data/test.jsonl is a test file. A name that says two splits says none.
// A file of no split has "".
func classify(name string) (split string, subset []string) {
	parts := strings.Split(stem(name), "/")
	for i, part := range slices.Backward(parts) {
		rest := []string{part}
		if found, at := splitOf(part); found != "" && split == "" {
			split, rest = found, []string{part[:at[0]], part[at[1]:]}
		}
		parts[i] = ""
		for _, r := range slices.Backward(rest) {
			if r = strings.Trim(r, "_-. "); r != "" {
				subset = append(subset, r)
			}
		}
	}
	slices.Reverse(subset)
	return split, subset
}

// stem is a file's path in lower case, without its endings and the number of its shard.
func stem(name string) string {
	name = strings.ToLower(name)
	for _, e := range endings {
		for _, p := range packed {
			name = strings.TrimSuffix(name, e+p)
		}
	}
	return shard.ReplaceAllString(name, "")
}

// splitOf is the split that one part of a path says, and where it says so.
func splitOf(part string) (split string, at [2]int) {
	for _, w := range splitWords {
		found := w.form.FindStringSubmatchIndex(part)
		if found == nil {
			continue
		}
		if split != "" {
			return "", at
		}
		split, at = w.split, [2]int{found[2], found[3]}
	}
	return split, at
}

// evaluation makes validation files of those that say eval or holdout where others say test.
func evaluation(files []File) {
	says := func(f File) bool {
		for _, part := range slices.Backward(strings.Split(stem(f.Name), "/")) {
			if split, _ := splitOf(part); split != "" {
				return evaluationForm.MatchString(part)
			}
		}
		return false
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Split == Test && !says(f) }) {
		return
	}
	for i := range files {
		if files[i].Split == Test && says(files[i]) {
			files[i].Split = Validation
		}
	}
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
	f := File{Path: where, Name: path.Clean(inside)}
	f.Split, f.Subset = classify(f.Name)
	return f
}
