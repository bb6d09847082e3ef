package picture_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"parley/internal/plotio"
	"parley/team/workflow"
	"parley/team/workflow/picture"
)

var update = flag.Bool("update", false, "write testdata/*.svg anew")

// step is one that asks.
func step(place, prompt string, names ...string) workflow.Step {
	return workflow.Step{Place: "team.workflow" + place, Ask: names, Prompts: []string{prompt}}
}

func agents(names ...string) (out []workflow.Agent) {
	for _, name := range names {
		out = append(out, workflow.Agent{Name: name})
	}
	return out
}

// crowd is a team of many agents who speak at once, several times, and see everything.
func crowd(n, rounds int) workflow.Spec {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("speaker_with_a_long_name_%d", i+1))
	}
	return workflow.Spec{
		Agents: agents(names...), Answer: workflow.Answer{Kind: workflow.Vote},
		Steps: []workflow.Step{{Place: "team.workflow[0]", Repeat: rounds, Steps: []workflow.Step{step("[0].steps[0]", "{{.Question}}{{range .All}}{{.Text}}{{end}}", names...)}}},
	}
}

// specs are workflows of every kind of step.
func specs() map[string]workflow.Spec {
	score := step("[0].steps[1]", "{{.Last.planner}}", "scorer")
	score.Note = `said("planner").text + " = " + said("scorer").text`
	review := step("[1].steps[1]", "{{.Report}} {{.Last.critic}}", "writer")
	review.When, review.Continue = `said("critic") and not said("critic").text.startswith("fine")`, true
	act := workflow.Step{Place: "team.workflow[1].steps[1]", Act: []string{"north", "south"}}
	return map[string]workflow.Spec{
		"review": {
			Agents: agents("writer", "critic", "editor"),
			Steps: []workflow.Step{
				step("[0]", "{{.Question}} {{.Fields.title}}", "writer"),
				{Place: "team.workflow[1]", Repeat: 2, Until: `said("critic").text.startswith("fine")`, Steps: []workflow.Step{step("[1].steps[0]", "{{.Question}} {{.Last.writer}}", "critic"), review}},
				step("[2]", "{{.Question}} {{.Last.writer}}", "editor"),
			},
			Answer: workflow.Answer{Names: []string{"editor"}},
		},
		"world": {
			Agents: agents("north", "south", "guide"), World: true,
			Steps: []workflow.Step{
				{Place: "team.workflow[0]", Groups: []workflow.Group{{Name: "movers", Size: 2}, {Name: "watchers", Size: 1}}},
				{Place: "team.workflow[1]", Repeat: 2, Steps: []workflow.Step{step("[1].steps[0]", "{{.Observation}}", "north", "south"), act}},
				step("[2]", "{{.Observation}} {{.Last.north}}", "movers"),
				step("[3]", "{{.Last.south}}", `=["guide"] if draw(2) else agents`),
			},
			Answer: workflow.Answer{Kind: workflow.Computed, Expr: `said("guide").text`},
		},
		"program": {
			Agents: agents("left", "right", "spy"), World: true, Turns: 4,
			Program: `
def next(problem, history):
    said = [h for h in history if hasattr(h, "text")]
    shown = [h for h in history if hasattr(h, "observations")]
    if not said:
        return [ask("left", shown[0].observations["left"]), ask("right", problem.question)]
    if len(said) == 2 and len(shown) == 1:
        return [act(["left", "right"])]
    if len(said) == 2:
        return [ask("spy", shown[1].observations["left"] + said[0].text + said[1].report)]
    return []
`,
		},
		"crowd": crowd(4, 16),
		"notes": {
			Agents: agents("planner", "scorer"), Answer: workflow.Answer{Names: []string{"planner"}},
			Steps: []workflow.Step{{Place: "team.workflow[0]", Repeat: 3, Steps: []workflow.Step{step("[0].steps[0]", "{{.Question}}{{range .Notes}}{{.}}{{end}}", "planner"), score}}},
		},
	}
}

func drawn(t *testing.T, name string, s workflow.Spec) *picture.Picture {
	t.Helper()
	w, err := workflow.New(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p, err := picture.Of(name, w)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// TestPictures compares pictures with testdata, where a person has looked at them. The same workflow gives the same bytes.
func TestPictures(t *testing.T) {
	for name, s := range specs() {
		p := drawn(t, name, s)
		got, err := plotio.SVG(p, p.Size())
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is drawn in another way than %s: look at it, and write it anew with -update", name, golden)
		}
		again := drawn(t, name, s)
		if second, err := plotio.SVG(again, again.Size()); err != nil || !bytes.Equal(got, second) {
			t.Errorf("%s is drawn in two ways: %v", name, err)
		}
	}
}

// A box is where a text stands.
type box struct {
	text                     string
	left, right, low, height vg.Length
}

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.low < o.low+o.height && o.low < b.low+b.height
}

// boxes are those of all texts of a picture.
func boxes(p *picture.Picture) []box {
	var canvas recorder.Canvas
	size := p.Size()
	c := draw.NewCanvas(&canvas, size.Width, size.Height)
	p.Draw(draw.Crop(c, plotio.Margin, -plotio.Margin, plotio.Margin, -plotio.Margin))
	var out []box
	upright := false
	for _, a := range canvas.Actions {
		switch a := a.(type) {
		case *recorder.Rotate:
			upright = true
		case *recorder.Pop:
			upright = false
		case *recorder.FillString:
			face := font.DefaultCache.Lookup(a.Font, a.Size)
			wide, high := face.Width(a.String), 0.7*a.Size
			b := box{a.String, a.Point.X, a.Point.X + wide, a.Point.Y, high}
			if upright { // a quarter turn: x goes up, y to the left
				b = box{a.String, -a.Point.Y - high, -a.Point.Y, a.Point.X, wide}
			}
			out = append(out, b)
		}
	}
	return out
}

// TestNothingOverlaps: no text of a picture stands on another or runs out of the picture, in a small team and in one of many agents with long
// names and long expressions.
func TestNothingOverlaps(t *testing.T) {
	all := specs()
	all["one agent"] = workflow.Spec{Agents: agents("a"), Steps: []workflow.Step{step("[0]", "{{.Question}}", "a")}}
	all["many agents"] = crowd(64, 1)
	long := all["review"]
	long.Steps = append([]workflow.Step{}, long.Steps...)
	long.Steps[1].Until = "draw(2) == " + strings.Repeat("1", 400) + strings.Repeat(" or draw(3) == 2", 30)
	all["long"] = long
	nested := workflow.Spec{Agents: agents("a", "b"), Steps: []workflow.Step{step("[9]", "{{.Question}}{{.Last.b}}", "a", "b")}}
	for range 4 {
		nested.Steps[0].Place = "team.workflow[0]"
		nested.Steps = []workflow.Step{{Place: fmt.Sprint("team.workflow", len(fmt.Sprint(nested.Steps))), Repeat: 2, Steps: nested.Steps}}
	}
	all["nested"] = nested
	for name, s := range all {
		p := drawn(t, name, s)
		size, list := p.Size(), boxes(p)
		if len(list) < 6 {
			t.Errorf("%s: %d texts", name, len(list))
		}
		for i, b := range list {
			if b.left < 0 || b.right > size.Width || b.low < 0 || b.low+b.height > size.Height {
				t.Errorf("%s: %q stands outside of the picture: %v of %v", name, b.text, b, size)
			}
			for _, o := range list[:i] {
				if b.overlaps(o) {
					t.Errorf("%s: %q stands on %q", name, b.text, o.text)
				}
			}
		}
		if size.Width > 700 {
			t.Errorf("%s is %v points wide: its letters are too small on a page", name, size.Width)
		}
	}
}
