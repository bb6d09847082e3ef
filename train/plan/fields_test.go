package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/train/plan"
)

// TestCheckFields: a field that no row has is refused with its line and the nearest one, wherever the recipe reads it; those that rows have are fine.
func TestCheckFields(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data := write("qa.jsonl", `{"question":"q","answer":"a","topic":"t","m":{"truth":"x","kind":"k"}}`+"\n"+`{"question":"r","answer":"a","late":"t"}`+"\n")
	other := write("other.jsonl", `{"question":"q","answer":"a","topic":"t"}`+"\n")
	elsewhere := "eval: {task: {name: data, path: " + other + "}}\n"
	head := "name: mine\ntask: {name: data, path: " + data + "}\nalgorithm: magrpo\n"
	for text, want := range map[string]string{
		"team: {turns: 1, prompts: {first: '{{.Question}} {{.Fields.topic}} {{.Fields.late}}'}}\nreward: {source: label}\n":                                                                                          "",
		"team: {turns: 1, prompts: {first: '{{.Question}} {{.Fields.topics}}'}}\nreward: {source: label}\n":                                                                                                          "mine.yaml:4:52: the recipe reads the field topics, which no row of its data set has; did you mean topic? the fields are late, m, topic",
		"team: {turns: 1, prompts: {first: '{{.Question}} {{.Fields.answer}}'}}\nreward: {source: label}\n":                                                                                                          "the field answer, which no row",
		"team: {turns: 1}\nreward: {source: user, user: {expression: 'float(item[\"fields\"][\"tpic\"] in responses[0])'}}\n":                                                                                        "mine.yaml:5:",
		"team: {turns: 1}\nreward: {source: user, user: {expression: 'float(\"tpic\" in item[\"fields\"] and item[\"fields\"][\"tpic\"] == \"\")'}}\n":                                                               "",
		"team:\n  protocol: workflow\n  agents: {a: {}, b: {}}\n  workflow:\n  - {ask: a, prompt: '{{.Question}}'}\n  - {ask: b, prompt: '{{.Fields.late}} {{.Last.a}} {{.Fields.lat}}'}\nreward: {source: label}\n": "mine.yaml:9:",
		"team: {turns: 1, prompts: {first: '{{.Question}} {{.Fields.topic}}'}}\nreward: {source: label}\n" + elsewhere:                                                                                               "",
		"team: {turns: 1, prompts: {first: '{{.Question}} {{.Fields.late}}'}}\nreward: {source: label}\n" + elsewhere:                                                                                                "mine.yaml:4:52: the recipe reads the field late, which no row of the data set of eval.task has; the fields are topic",
	} {
		file := write("mine.yaml", head+text)
		r, err := language.New().Load(file, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		err = plan.CheckFields(t.Context(), file, r)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
