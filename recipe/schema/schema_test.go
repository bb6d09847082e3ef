package schema_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"parley/recipe/schema"
)

// settings have a key of each kind.
type settings struct {
	Name  string   `yaml:"name" default:"a"`
	Early string   `yaml:"early" early:"yes"`
	Size  string   `yaml:"size" unit:"GiB"`
	Word  string   `yaml:"word" default:"one" oneof:"one two"`
	On    bool     `yaml:"on" default:"true"`
	N     int      `yaml:"n" default:"3" max:"9" zero:"all"`
	X     *float64 `yaml:"x"`
	List  []string `yaml:"list" oneof:"p q"`
	Part  part     `yaml:"part"`
	Lists lists    `yaml:"lists"`
	Rate  float64  `yaml:"rate" default:"auto" auto:"-1" min:"0"`
	Log   string   `yaml:"log" takes:"true"`
}

func (settings) KeyTexts() (file, text string) {
	return "settings.md", `
# Keys of a plan

## name

A text.

## early

A text that changes do not reach.

## size

A number with a unit.

## word

A word.

## on

A truth value.

## n

A whole number.

## x

A number or null.

## list

Words.

## part.kind

What the part is.

## lists

Named lists.

## rate

A number or auto.

## log

A text or true.
`
}

type part struct {
	embedded
	Kind     string `yaml:"kind" default:"round"`
	Settings any    `yaml:"-"` // its own
}

type embedded struct {
	Depth float64 `yaml:"depth" default:"0.5"`
}

func (embedded) KeyTexts() (file, text string) { return "embedded.md", "## depth\nWithin.\n" }

// own are settings that a part may hold.
type own struct {
	Radius int `yaml:"radius" default:"2" min:"0"`
}

func (own) KeyTexts() (file, text string) { return "own.md", "## radius\nOf a round part.\n" }

// lists are a mapping whose names have one letter.
type lists []named

type named struct {
	name  string
	texts []string
}

func (*lists) Shape() schema.Shape {
	return schema.Shape{Kind: "mapping of lists", Expected: "a letter with a list each", Example: "a: []"}
}

func (*lists) Check(name string) (message, hint string) {
	if len(name) == 1 {
		return "", ""
	}
	return "has a long name", "write one letter"
}

func (l *lists) Add(name string, texts []string) { *l = append(*l, named{name, texts}) }

func (l *lists) Each(visit func(string, []string)) {
	for _, one := range *l {
		visit(one.name, one.texts)
	}
}

// words is a vocabulary that knows one key of another schema and one that is called otherwise here.
type words struct{}

func (words) Explain(k schema.Unknown) (message, hint string, fine bool) {
	switch k.Path {
	case "part.radius":
		return "", "", k.Has(schema.Of(reflect.TypeFor[own]()).Find("radius"))
	case "title":
		return "", "name is what it is called here", false
	}
	return "", "", false
}

func (words) Keys() []string    { return []string{"name", "n", "part.kind", "part.radius"} }
func (words) Reference() string { return "the manual lists all keys" }
func (words) Example() string   { return "n=2" }

// composed returns the schema with the settings that a part holds, or without.
func composed(with bool) (*schema.Field, *settings) {
	root, s := schema.Of(reflect.TypeFor[settings]()), &settings{}
	if with {
		s.Part.Settings = &own{}
		at := root.Find("part")
		held := at.Hold(reflect.TypeFor[own](), func(v reflect.Value) any { return v.FieldByName("Settings").Interface() })
		at.Fields = append(at.Fields, held...)
	}
	root.SetDefaults(s)
	return root, s
}

func decode(data string, with bool, sets ...string) (*schema.Field, *settings, error) {
	root, s := composed(with)
	d := schema.NewDecoder("f", "plan")
	d.Ask(words{})
	d.Parse([]byte(data))
	d.Decode(root, s, sets)
	if !d.Failed() {
		d.RefuseRepeats(s)
	}
	return root, s, d.Err()
}

// TestDecode: values come from defaults, from the text and from changes, also those of an embedded struct, of settings that a section holds, and
// of a mapping; and the print of the struct gives them again.
func TestDecode(t *testing.T) {
	root, s, err := decode("name: b\nx: 0.25\nlist: [q]\npart: {depth: 2, radius: 5}\nlists:\n  a: [x, y]\n  b: []\n", true, "n=all", "part.kind=flat", "on=false", "name=a: [b", "log=true")
	if err != nil {
		t.Fatal(err)
	}
	quarter := 0.25
	want := &settings{
		Name: "a: [b", Word: "one", X: &quarter, List: []string{"q"}, Part: part{embedded{2}, "flat", &own{5}},
		Lists: lists{{"a", []string{"x", "y"}}, {"b", nil}}, Rate: -1, Log: "true",
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if !root.Find("part.radius").Held() || root.Find("part.depth").Held() {
		t.Error("radius is held, and depth is not")
	}
	print := schema.Print(root, s, func(*schema.Field) bool { return true })
	if _, again, err := decode(string(print), true); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%v\n%s\ngives %+v", err, print, again)
	}
	few := string(schema.Print(root, s, func(f *schema.Field) bool { return f.Name == "radius" }))
	if few != "\npart:\n  # Of a round part. (at least 0)\n  radius: 5\n" {
		t.Errorf("printed %q", few)
	}
}

// TestDecodeErrors: each mistake with its place, what is wrong and what to write.
func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ text, set, want string }{
		{"nme: b\n", "", `f:1:1: unknown key "nme"; did you mean "name"?`},
		{"radius: 1\n", "", `f:1:1: unknown key "radius"; did you mean part.radius?`},
		{"part: {kind: x, zzz: 1}\n", "", `f:1:17: unknown key "zzz" in part; expected one of depth, kind`},
		{"part: {radius: 3}\n", "", `f:1:8: unknown key "radius" in part; did you mean part.radius?`},
		{"title: x\n", "", `f:1:1: unknown key "title"; name is what it is called here`},
		{"- a\n", "", "f:1:1: the plan is a list, expected keys: name"},
		{"name: a\n---\nname: b\n", "", "f:3:1: a second document begins, expected one plan per file; remove the line ---"},
		{"size: 3\n", "", "f:1:7: size is 3, expected a number with a unit; write 3GiB"},
		{"list: [p, r]\n", "", `f:1:11: list[1] is "r", expected one of p, q`},
		{"list: [p, p]\n", "", "f:1:1: list names p twice; remove one"},
		{"lists: [a]\n", "", "f:1:8: lists is a list, expected a letter with a list each; write for example a: []"},
		{"lists: {ab: []}\n", "", "f:1:9: lists has a long name; write one letter"},
		{"lists: {a: [], a: 1}\n", "", "f:1:16: lists names a twice; remove one\n" + `f:1:19: lists.a is "1", expected a list of texts; write [a, b] or one line "- a" each`},
		{"log: false\n", "", "f:1:6: log is false, expected a text or true; leave the key out"},
		{"rate: often\n", "", `f:1:7: rate is "often", expected a number or auto`},
		{"rate: -1\n", "", "f:1:7: rate is -1, expected at least 0"},
		{"rate: 1e308\n", "", "f:1:7: rate is 1e+308, expected at most 1000000000"},
		{"x: 1000000000.5\n", "", "f:1:4: x is 1000000000.5, expected at most 1000000000"},
		{"x: -1e9\nrate: 1e9\n", "x=-1e18", "--set x=-1e18: x is -1e+18, expected at least -1000000000"},
		{"name: [" + strings.Repeat("y", 9999) + "]\n", "", "f:1:7: name is a list, expected a text"},
		{"word: " + strings.Repeat("y", 9999) + "\n", "", `f:1:7: word is "yyy`},
		{"name: a\n", "n=1\n---\n2", "--set n=1\n---\n2: n has 2 values, expected one; remove the line ---"},
		{"name: a\n", "n", "--set n: expected key=value; for example --set n=2"},
		{"name: a\n", "n=10", "--set n=10: n is 10, expected at most 9"},
		{"name: a\n", "early=x", "--set early=x: early is read before everything else, expected it in the plan's file; write it in a file"},
		{"name: a\n", "part=x", "--set part=x: part is a section, expected one of its keys: depth, kind"},
		{"name: a\n", "kind=x", `--set kind=x: unknown key "kind"; did you mean "part.kind"?`},
		{"name: a\n", "qqqqqq=x", `--set qqqqqq=x: unknown key "qqqqqq"; the manual lists all keys`},
		{"name: a\n", "list=null", `--set list=null: list has no value, expected a list of words; for none write []`},
		{"name: a\n", "lists=", "--set lists=: lists has no value, expected a mapping of lists; for none write {}"},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		_, _, err := decode(c.text, false, sets...)
		var list *schema.Errors
		if !errors.As(err, &list) || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 700 {
			t.Errorf("%q %v:\n got %v\nwant %s", c.text, sets, err, c.want)
		}
	}
	if _, _, err := decode("part: {radius: 2}\n", false, "part.radius=2"); err != nil {
		t.Errorf("a key that the vocabulary finds no mistake: %v", err)
	}
}

// TestSound: keys that were not read are known, so that nobody asks whether they go with others.
func TestSound(t *testing.T) {
	for _, c := range []struct {
		text         string
		sets         []string
		sound, wrong []string
	}{
		{"name: a\n", nil, []string{"name", "part", "lists"}, nil},
		{"n: x\npart: {depth: y}\n", nil, []string{"name", "part.kind"}, []string{"n", "part.depth", "part"}},
		{"part: {dept: 1}\n", nil, []string{"name"}, []string{"part", "part.kind"}},
		{"part: 3\n", nil, []string{"name"}, []string{"part.kind"}},
		{"- a\n", nil, nil, []string{"name", "part.kind"}},
		{"name: a\n", []string{"n=x", "part.dept=1"}, []string{"name"}, []string{"n", "part.kind"}},
	} {
		root, s := composed(false)
		d := schema.NewDecoder("f", "plan")
		d.Parse([]byte(c.text))
		d.Decode(root, s, c.sets)
		for _, key := range c.sound {
			if !d.Sound(key) || d.Sound(append(c.wrong, key)...) != (c.wrong == nil) {
				t.Errorf("%q %q: %s is not sound, or something else is", c.text, c.sets, key)
			}
		}
		for _, key := range c.wrong {
			if d.Sound(key) || !d.Partly() {
				t.Errorf("%q %q: %s is sound", c.text, c.sets, key)
			}
		}
	}
}

// TestPlain: without a vocabulary a mistake is told as far as the schema goes.
func TestPlain(t *testing.T) {
	root, s := composed(false)
	d := schema.NewDecoder("f", "plan")
	d.Parse([]byte("word: tow\nzzzzzz: 1\n"))
	if value, ok := d.Lookup("word"); !ok || value.Text != "tow" || value.At.Column != 7 {
		t.Errorf("looked up %+v, %v", value, ok)
	}
	root.Find("word").Hints = map[string]string{"tow": "write two"}
	d.Decode(root, s, []string{"y=1", "n"})
	want := "f:1:7: word is \"tow\", expected one of one, two; write two\n" +
		"f:2:1: unknown key \"zzzzzz\"; expected one of name, early, size, word, on, n, x, list, part, lists, rate, log\n" +
		"--set y=1: unknown key \"y\"\n--set n: expected key=value"
	if err := d.Err(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestChange: a few keys of a struct can be changed.
func TestChange(t *testing.T) {
	var s settings
	root := schema.Of(reflect.TypeFor[settings]())
	if err := schema.Change("plan", root, &s, []string{"n"}, []string{"n=4"}); err != nil || s.N != 4 || s.Word != "one" {
		t.Errorf("changed to %+v, %v", s, err)
	}
	err := schema.Change("plan", root, &s, []string{"n"}, []string{"word=two", "n"})
	if want := "--set word=two: plan has no setting \"word\": it has n\n--set n: write key=value"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
