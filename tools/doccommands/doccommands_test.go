package main

import (
	"slices"
	"strings"
	"testing"
)

const document = "Text with `parley train`.\n" + `
parley outside of a block

` + "```" + `
$ parley train mine.yaml     # a comment
  PARLEY_CPU=generic A= ./parley eval x --set "a=[b # c]" > out   # another
parley verifier data \
  --questions 3 \
  --out x
parleys train
echo '{"a":"#"}' |
  parley verifier score x   # 0.5
what it prints: parley
` + "```" + `

` + "```yaml\nparley: 1\n```" + `

` + "````sh\n```\ngo test ./...\n````\nmake all\n"

func TestExtract(t *testing.T) {
	var got []string
	for _, c := range extract("a.md", document) {
		got = append(got, c.String())
	}
	want := []string{
		"a.md:6: parley train mine.yaml",
		`a.md:7: PARLEY_CPU=generic A= ./parley eval x --set "a=[b # c]" > out`,
		"a.md:8: parley verifier data --questions 3 --out x",
		`a.md:12: echo '{"a":"#"}' | parley verifier score x`,
		"a.md:23: go test ./...",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMatch(t *testing.T) {
	t.Chdir("../..")
	commands := []command{{"a.md", 1, "parley train"}, {"a.md", 2, "parley train big"}, {"a.md", 3, "go test ./..."}, {"a.md", 4, "parley recipe check bad.yaml"}}
	rules, err := parseRules(`
# a comment
first parley version
left parley train big # takes a day
run parley train* + --max-updates 1
step test go test ./...
fails 2 parley recipe check *
`)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := match(commands, rules)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range plan {
		got = append(got, j.String())
	}
	want := []string{".ci/commands.txt:3: parley version", "a.md:1: parley train (with --max-updates 1)", "a.md:2: parley train big (left: takes a day)", "a.md:3: go test ./... (in step test)", "a.md:4: parley recipe check bad.yaml"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	_, err = match(append(commands, command{"b.md", 5, "parley new"}), append(rules, rule{line: 9, verb: "run", pattern: "old", matcher: rules[0].matcher}))
	for _, want := range []string{"b.md:5: parley new: no rule", `commands.txt:9: no document has a command "old"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}

// The step docs runs the commands, which takes minutes; that each has its rule is seen here in a moment.
func TestEveryCommandHasItsRule(t *testing.T) {
	t.Chdir("../..")
	if _, err := planned(); err != nil {
		t.Error(err)
	}
}

func TestRuleErrors(t *testing.T) {
	t.Chdir("../..")
	_, err := parseRules("jump parley\nrun\nleft parley train\nfails parley train\nfails 0 parley train\nstep nothing parley train")
	for i, want := range []string{`"jump" is none of`, "there is no command", "say why", `"parley" is no exit code`, `"0" is no exit code`, `no step "nothing"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("line %d: %q is missing in %v", i+1, want, err)
		}
	}
}

func TestExecute(t *testing.T) {
	for _, c := range []struct {
		text string
		rule rule
		want string // in the error
	}{
		{text: "bash -c 'test -d .. && test -z \"$PARLEY_RUNS\"'"},
		{text: "go version | grep -q go"},
		{text: "go nonsense | cat", want: "exit code 2, should be 0"},
		{text: "bash -c 'exit 3'", rule: rule{code: 3}},
		{text: "bash -c 'exit 0'", rule: rule{code: 3}, want: "exit code 0, should be 3"},
		{text: "go env > out", rule: rule{more: "GOOS | grep -q ."}},
	} {
		t.Setenv("PARLEY_RUNS", "elsewhere")
		_, err := job{command{"a.md", 1, c.text}, c.rule}.execute(t.TempDir())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestInsert(t *testing.T) {
	for line, want := range map[string]string{
		"parley train":                     "parley train -x",
		"parley recipe show a > b":         "parley recipe show a -x > b",
		"parley model score m < in | tail": "parley model score m -x < in | tail",
	} {
		if got := insert(line, "-x"); got != want {
			t.Errorf("%s: got %s", line, got)
		}
	}
}
