package recipe_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/internal/turn"
	"parley/recipe"
)

// strange are values that people and programs give to keys: nothing, of another type, of another size.
var strange = []string{
	"", "null", "~", "''", `" "`, "[]", "[[]]", "['']", "[null]", "[1, 1]", "[a, a]", "[1, 2]", "[-1]", "[1e999]", "{}", "{a: 1}", "{a: []}", "{'': []}", "{a: [seed=1]}",
	"0", "-0", "-1", "1", "2", "3", "1000000", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "0x10", "1_000", "1e3", "0.5", "-0.5", "1e-320", "1e308", "-1e308", "1e999",
	".nan", ".inf", "NaN", "true", "false", "yes", "text", "'1'", "&a 1", "*a", "!!int 1", "[", "{", "'", "- 1", "a: b", "a: {b: c}", "# nothing", "é\u2028", "{{.Nothing}}", "../..", "/", `"\0"`,
}

// absent is how many of them, the first, are no value or an empty one.
const absent = 15

// contexts are what a recipe begins with that gives a key a strange value: their rules are different ones.
var contexts = []string{"", "preset: debate-sums\n", "preset: magrpo-tiny\n", "preset: iac-tiny\n", "preset: marlhf-tiny\n"}

// keys lists the general keys that hold a value, and behind them those of every task, each with what it takes for a recipe to have it.
func keys(t *testing.T) (list []string, task map[string]string) {
	t.Helper()
	var tree yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(lang.Defaults().YAML(), &tree, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	list, task = leafKeys("", tree), map[string]string{}
	for _, one := range lang.Tasks() {
		for _, name := range settingNames(reflect.TypeOf(one.Settings)) {
			if key := "task." + name; task[key] == "" {
				list, task[key] = append(list, key), one.Name
			}
		}
	}
	return list, task
}

func leafKeys(path string, tree yaml.MapSlice) (list []string) {
	for _, item := range tree {
		key := strings.TrimPrefix(fmt.Sprintf("%s.%v", path, item.Key), ".")
		if section, deeper := item.Value.(yaml.MapSlice); deeper && len(section) > 0 {
			list = append(list, leafKeys(key, section)...)
		} else {
			list = append(list, key)
		}
	}
	return list
}

func settingNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			names = append(names, settingNames(f.Type)...)
		} else if name := f.Tag.Get("yaml"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// TestStrangeValues gives every key some strange values, and every strange value to some keys. TestLongStrangeValues gives all to all.
func TestStrangeValues(t *testing.T) { strangeValues(t, 64) }

// strangeValues gives every key one strange value in so many, another one to the next key, in a file and after --set: what comes out is a list of errors, or
// a recipe that can be printed, read again and counted. Presets, whose rules are others, get the values that are none, after --set.
func strangeValues(t *testing.T, oneIn int) {
	t.Helper()
	list, task := keys(t)
	if len(list) < 150 || task["task.path"] == "" {
		t.Fatalf("only %d keys: %q", len(list), list)
	}
	for i, context := range contexts {
		t.Run(context, func(t *testing.T) {
			t.Parallel()
			values := strange
			if i > 0 {
				values = strange[:absent]
			}
			for k, key := range list {
				if !turn.Has(key) {
					continue
				}
				source := "name: x\n" + context
				if name := task[key]; name != "" && i == 0 {
					source += "task: {name: " + name + "}\n"
				}
				for v := k % oneIn; v < len(values); v += oneIn {
					value := values[v]
					sound(t, source, key+"="+value)
					if i == 0 { // how a file is read does not depend on the preset
						sound(t, "name: x\n"+context+nested(key, value, task[key]))
					}
				}
			}
		})
	}
}

// nested writes a key of the form a.b with a value as lines of YAML; of a key of a task, with the task's name.
func nested(key, value, task string) string {
	var b strings.Builder
	indent := ""
	for part := range strings.SplitSeq(key, ".") {
		if indent == " " && task != "" {
			b.WriteString(" name: " + task + "\n")
		}
		fmt.Fprintf(&b, "%s%s:\n", indent, part)
		indent += " "
	}
	return strings.TrimSuffix(b.String(), "\n") + " " + value + "\n"
}

func sound(t *testing.T, source string, sets ...string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%q %q: panic: %v", source, sets, p)
		}
	}()
	r, err := lang.Parse("f", []byte(source), sets)
	var wrong *recipe.Errors
	if errors.As(err, &wrong) {
		if len(wrong.List) == 0 || r != nil {
			t.Errorf("%q %q: %v and an error without a message", source, sets, r)
		}
		for _, e := range wrong.List {
			if e.Message == "" || strings.Contains(e.Error(), "internal error") {
				t.Errorf("%q %q: %v", source, sets, e)
			}
		}
		return
	}
	if err != nil {
		t.Errorf("%q %q: an error of another kind: %v", source, sets, err)
		return
	}
	again, err := lang.Parse("printed", r.YAML(), nil)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("%q %q: the recipe does not survive its print: %v", source, sets, err)
	}
	trials, err := r.Trials()
	names := map[string]bool{}
	for _, trial := range trials {
		if names[trial.Name()] {
			t.Errorf("%q %q: two runs are named %s", source, sets, trial.Name())
		}
		names[trial.Name()] = true
	}
	if err != nil || len(trials) == 0 {
		t.Errorf("%q %q: no runs: %v", source, sets, err)
	}
	if _, err := r.Size(); err != nil {
		t.Errorf("%q %q: %v", source, sets, err)
	}
	r.Warnings()
	r.ApplyingYAML()
}
