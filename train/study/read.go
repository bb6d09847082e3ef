package study

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"parley/internal/folder"
	"parley/internal/plainfile"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/runs"
)

// Load reads the study of a shipped name or of a file, and plans its runs. What is wrong with a file, its recipes included, is a
// [*recipe.Errors] with all of it; a name that is neither is an [*UnknownError].
func Load(l *recipe.Language, nameOrFile string) (*Study, *Plan, error) {
	data, shipped := inBinary.Text(nameOrFile)
	folder := "."
	if !shipped {
		var err error
		data, err = plainfile.Read(nameOrFile)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, &UnknownError{Name: nameOrFile, Near: usererror.Nearest(nameOrFile, Names())}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read study: %w", err)
		}
		folder = filepath.Dir(nameOrFile)
	}
	return read(l, nameOrFile, folder, data)
}

// Outline reads the file in the folder of a study that was begun. Its recipes may be gone, so that the runs of the plan have none, and a recipe that
// is gone has no variants.
func Outline(l *recipe.Language, dir string, data []byte) (*Study, *Plan, error) {
	return reading(&reader{Decoder: schema.NewDecoder(filepath.Join(dir, runs.StudyFile), "study"), language: l, folder: dir, blamed: map[string]bool{}, outline: true}, data)
}

func read(l *recipe.Language, file, folder string, data []byte) (*Study, *Plan, error) {
	return reading(&reader{Decoder: schema.NewDecoder(file, "study"), language: l, folder: folder, blamed: map[string]bool{}}, data)
}

func reading(d *reader, data []byte) (*Study, *Plan, error) {
	s := &Study{}
	root := schema.Of(reflect.TypeFor[Study]())
	root.SetDefaults(s)
	d.Parse(data)
	if err := d.Err(); err != nil {
		return nil, nil, err
	}
	d.Decode(root, s, nil)
	d.rules(s)
	var plan *Plan
	if !d.Failed() {
		plan = d.plan(s)
	}
	if err := d.Err(); err != nil {
		return nil, nil, err
	}
	return s, plan, nil
}

// NameIn is the name in a study's text, whatever else is wrong with it; empty: it has none.
func NameIn(data []byte) string {
	d, s := schema.NewDecoder("study", "study"), &Study{}
	d.Parse(data)
	d.Decode(schema.Of(reflect.TypeFor[Study]()), s, nil)
	return s.Name
}

// Around is the study in whose folder the folder of a run is; nil: there is none.
func Around(dir string) *runs.OfStudy {
	data, err := folder.ReadFile(filepath.Join(dir, ".."), runs.StudyFile)
	if err != nil {
		return nil
	}
	return &runs.OfStudy{Name: NameIn(data), SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
}

// YAML is the study as a file that reads as the same study.
func (s *Study) YAML() []byte {
	return schema.Print(schema.Of(reflect.TypeFor[Study]()), s, func(*schema.Field) bool { return true })
}

// An UnknownError says that a word names neither a shipped study nor a file.
type UnknownError struct{ Name, Near string }

func (e *UnknownError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("no study and no file is named %q; did you mean %q?", e.Name, e.Near)
	}
	return fmt.Sprintf("no study and no file is named %q; `parley study list` shows the shipped ones", e.Name)
}

// A reader reads one study.
type reader struct {
	*schema.Decoder
	language *recipe.Language
	folder   string          // that recipes in files are relative to
	blamed   map[string]bool // recipes that cannot be read, whose cells are not looked at
	outline  bool            // what is to be run does not count
}

// rules reports values that do not go together. Those that could not be read are left out.
func (d *reader) rules(s *Study) {
	say := func(key string, broken bool, message, hint string) {
		if broken && d.Sound(key) {
			d.Fail(d.Origin(key), message, hint)
		}
	}
	say("name", !keys.FolderName.MatchString(s.Name), fmt.Sprintf("name is %q, expected letters, digits, dots, dashes and underscores", s.Name), "write for example name: sharing")
	say("name", slices.Contains([]string{"list", "show", "run", "verify"}, s.Name), fmt.Sprintf("name is %q, which is a word of the command line", s.Name), "choose another")
	say("question", s.Question == "", "question is empty: a study asks something", "write for example question: Does sharing help?")
	say("recipes", len(s.Recipes) == 0, "recipes names none", "write for example recipes: {chain: chain-tiny}")
	say("seeds", len(s.Seeds) == 0, "seeds names none", "write for example seeds: [1, 2, 3, 4, 5]")
	say("seeds", repeats(s.Seeds), "seeds names one twice, which is the same run again", "remove one")
	say("tokens", repeats(s.Tokens), "tokens names a budget twice", "remove one")
	for i, m := range s.Metrics {
		say("metrics", !knownMetric(m), fmt.Sprintf("metrics names %q, expected score, gain, return, overpaid, seconds, memory, tokens, updates or a number of a report's row such as play.exploitability", m), nearHint(m, metricWords))
		say("metrics", slices.Contains(s.Metrics[:i], m), fmt.Sprintf("metrics names %s twice", m), "remove one")
	}
	say("curve", !knownCurve(s.Curve), fmt.Sprintf("curve is %q, expected return, accuracy, overpaid, play.NAME or none", s.Curve), "")
	d.pairRules(s, say)
}

// pairRules reports pairs of what is no dimension, or no level.
func (d *reader) pairRules(s *Study, say func(key string, broken bool, message, hint string)) {
	levels := map[string][]string{RecipesDimension: {}, VariantsDimension: nil, TokensDimension: {}}
	for _, b := range s.Recipes {
		levels[RecipesDimension] = append(levels[RecipesDimension], b.Name)
	}
	for _, n := range s.Tokens {
		levels[TokensDimension] = append(levels[TokensDimension], fmt.Sprint(n))
	}
	names := []string{RecipesDimension, VariantsDimension, TokensDimension}
	for _, f := range s.Factors {
		names = append(names, f.Name)
		for _, l := range f.Levels {
			levels[f.Name] = append(levels[f.Name], l.Name)
		}
	}
	if !d.Sound("recipes", "factors", "tokens") {
		return
	}
	for _, p := range s.Pairs {
		key := "pairs." + p.Dimension
		known, ok := levels[p.Dimension]
		say(key, !ok, fmt.Sprintf("pairs names %s, which is no factor of the study", p.Dimension), nearHint(p.Dimension, names))
		say(key, len(p.With) == 0, key+" names no level to compare with", "")
		for _, w := range p.With { // the variants of recipes are known to the plan alone
			say(key, ok && known != nil && !slices.Contains(known, w), fmt.Sprintf("%s names %s, which is no level of it", key, w), nearHint(w, known))
		}
	}
}

// nearHint suggests the nearest of some words; empty: none is near.
func nearHint(word string, words []string) string {
	if near := usererror.Nearest(word, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

func repeats(list []int) bool {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return true
		}
	}
	return false
}
