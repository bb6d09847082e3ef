package recipe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/plainfile"
	"parley/internal/usererror"
	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/recipe/schema"
)

// An Error is one thing that is wrong with a recipe, and Errors is everything.
type (
	Error  = schema.Error
	Errors = schema.Errors
)

// Parse reads a recipe. file is its name in error messages; overlays are files whose keys take the place of the recipe's; sets are changes of the form
// key=value, such as team.turns=3, made after all files were read. Keys that are not given have their defaults.
//
// An error is an [*Errors] with everything that is wrong, but for an overlay that cannot be read.
func (l *Language) Parse(file string, data []byte, sets []string, overlays ...string) (*Recipe, error) {
	d := l.reader(file)
	d.overlays = overlays
	return d.parse(data, sets)
}

// A reader reads one recipe. It is the vocabulary of its decoder.
type reader struct {
	*schema.Decoder
	language *Language
	folder   string         // that paths in the file are relative to; empty: paths stay as they are
	overlays []string       // files over the recipe's, the last of which wins
	choice   catalog.Choice // of tasks
	recorded bool           // the file is what a run recorded about itself: its recipe was printed in full
	lenient  bool           // the file is a recipe that was printed before what chooses its keys was changed: keys that are gone are no mistakes
}

// recordedFile is the file of a run folder that holds its recipe.
const recordedFile = "run.json"

func (l *Language) reader(file string) *reader {
	d := &reader{Decoder: schema.NewDecoder(file, "recipe"), language: l, recorded: filepath.Base(file) == recordedFile}
	d.Ask(d)
	return d
}

func (d *reader) parse(data []byte, sets []string) (*Recipe, error) {
	d.Parse(data)
	if err := d.lay(); err != nil {
		return nil, err
	}
	preset := d.choose(sets)
	sets = catalog.ExpandBundles(d.language.Sections(), sets)
	r := d.language.start(preset, d.choice)
	d.Decode(d.language.Schema(d.choice), r, sets)
	if d.Failed() {
		d.partly(r)
	} else {
		d.whole(r)
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// whole checks a recipe whose values were all read.
func (d *reader) whole(r *Recipe) {
	if d.folder != "" {
		d.locate(r)
	}
	if d.lenient {
		d.dropIdle(r)
	}
	d.settle(r)
	d.validate(r)
}

// pivotal are keys that most rules depend on, whether they name them or not.
func pivotal() []string {
	return []string{"preset", "algorithm", "models", "task.name", "team.protocol", "team.agents", "team.turns", "reward.source", "eval.task.name"}
}

// partly asks the rules of a recipe of which some values could not be read, as far as they are about the others: so all mistakes are told
// at once. Rules of a recipe that is no mapping, or whose pivotal keys are wrong, are not asked.
func (d *reader) partly(r *Recipe) {
	if d.Partly() && d.Sound(pivotal()...) {
		d.rules(r)
		d.RefuseRepeats(r)
		d.templates(r)
	}
	if d.Partly() {
		d.workflow(r)
	}
}

// Load reads a recipe by the name of a shipped one, or from a file, with overlays and changes as [Language.Parse] has them. Relative paths in a file are
// relative to its folder, those after --set to the current folder; the recipe has them whole. A file that cannot be read is a [*usererror.Error]; a name
// that is neither is an [*UnknownError].
func (l *Language) Load(nameOrFile string, sets []string, overlays ...string) (*Recipe, error) {
	if data, ok := inBinary.Text(nameOrFile); ok {
		return l.parseIn(".", nameOrFile, data, sets, overlays...)
	}
	data, err := plainfile.Read(nameOrFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &UnknownError{Name: nameOrFile, Near: usererror.Nearest(nameOrFile, Names())}
	}
	if err != nil {
		return nil, usererror.Errorf("read recipe: %w", err)
	}
	return l.parseIn(filepath.Dir(nameOrFile), nameOrFile, data, sets, overlays...)
}

// parseIn is [Language.Parse] of a file in a folder: paths are made whole.
func (l *Language) parseIn(folder, file string, data []byte, sets []string, overlays ...string) (*Recipe, error) {
	d := l.reader(file)
	d.folder, d.overlays = folder, overlays
	return d.parse(data, sets)
}

// lay puts the overlays over the recipe's text.
func (d *reader) lay() error {
	for _, file := range d.overlays {
		data, err := plainfile.Read(file)
		if err != nil {
			return usererror.Errorf("read overlay: %w", err)
		}
		d.Overlay(file, data)
	}
	return nil
}

// An UnknownError says that a word names neither a shipped recipe nor a file.
type UnknownError struct {
	Name string
	Near string // the shipped recipe that was probably meant; empty: none is near
}

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("no recipe and no file is named %q", e.Name)
	switch {
	case e.Near != "":
		return s + fmt.Sprintf("; did you mean %q?", e.Near)
	case strings.Contains(e.Name, "="):
		return s + usererror.Spoken("; write --set KEY=VALUE to change a key of a recipe") + keys.Written(e.Name)
	}
	return s + "; `parley recipe list` shows the shipped ones"
}

// choose finds out what a recipe begins with and which tasks it names, before anything else is read: that decides which keys there are.
// It reports no wrong names: the reading itself does.
func (d *reader) choose(sets []string) (preset string) {
	d.choice = d.language.Usual()
	if preset = d.preset(); preset != "" {
		d.choice = d.language.shippedRecipe(preset).choice()
	}
	for key, name := range map[string]*string{"task.name": &d.choice.Task, "eval.task.name": &d.choice.Measured, "team.protocol": &d.choice.Protocol} {
		if value, ok := d.Lookup(key); ok {
			*name = value.Text
		}
		for _, set := range sets {
			if text, ok := strings.CutPrefix(set, key+"="); ok {
				*name = text
			}
		}
	}
	if rule := catalog.ChosenBundle(d.language.Sections(), d.Lookup, sets); rule != "" {
		d.choice.Rule = rule
	}
	return preset
}
