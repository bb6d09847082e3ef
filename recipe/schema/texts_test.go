package schema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/recipe/schema"
)

// plan has a file that a test says.
type plan struct {
	lent
	Steps int `yaml:"steps"`
	Goal  struct {
		Reward float64 `yaml:"reward"`
	} `yaml:"goal"`
}

// planTexts is what stands in the file.
var planTexts string

func (plan) KeyTexts() (file, text string) { return "plan.md", planTexts }

// lent has no file.
type lent struct {
	Depth int `yaml:"depth"`
}

// wrapped has a file that plan lends it, and with it none for keys of its own.
type wrapped struct {
	within
	Width int `yaml:"width"`
}

type within struct{ plan }

// TestTexts: a text is what stands below its key's heading, in the file of the struct or of one around it; a file with a text of no key, with two of
// one or with none is refused, with the line and the heading.
func TestTexts(t *testing.T) {
	const fine = "# A plan\n\nFor whoever writes one.\n\n## depth\n\nHow\ndeep.\n\n## steps\r\nHow many.\r\n\r\n## goal.reward\n\nWhat\n\n## it is worth.\n"
	for _, c := range []struct{ text, want string }{
		{strings.Replace(fine, "## it", "it", 1), "depth: How deep.; steps: How many.; goal.reward: What it is worth.; width: "},
		{fine, "internal error: plan.md:17: it is worth. has no text under its heading"},
		{"## depth\nd\n## stpes\ns\n## reward\nr\n", "internal error: plan.md:3: stpes is no key of schema_test.plan, of which these have no text: steps, goal.reward"},
		{"## depth\nd\n## steps\ns\n## depth\ne\n", "internal error: plan.md:1: depth has another text in line 5"},
		{"## depth\nd\n", "depth: d; steps: ; goal.reward: ; width: "},
		{"", "depth: ; steps: ; goal.reward: ; width: "},
	} {
		planTexts = c.text
		if got := explained(); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// explained is what the keys of wrapped mean, or what they are refused for.
func explained() (out string) {
	defer func() {
		if p := recover(); p != nil {
			out = fmt.Sprint(p)
		}
	}()
	var list []string
	schema.Of(reflect.TypeFor[wrapped]()).Leaves(func(f *schema.Field) { list = append(list, f.Path+": "+f.Doc) })
	return strings.Join(list, "; ")
}
