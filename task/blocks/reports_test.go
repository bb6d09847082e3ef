package blocks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
)

// TestReports: later turns are told what is missing, what is wrong, and how an agent's own lines fared.
func TestReports(t *testing.T) {
	p, err := ReadDrawing([]byte(`{"rows":["#.","##"]}`), 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewDrawings(2).Report(t.Context(), p, []string{"/setblock 0 0 0 stone\nhello", "/setblock 1 1 0 obsidian"}, 1)
	want := "Cells of the letters without a block: 2, such as (0, 1). Cells of the background with a block: 1, (1, 1) has obsidian. " +
		"Share of neighbours with one colour: 0.00. Of your lines 1 were commands that could be carried out."
	if err != nil || r[0] != want || r[1] != want {
		t.Errorf("%q, %v\nwant %q", r, err, want)
	}
	if p, err = ReadHouse([]byte(`{"layers":[["AA"],["B."]],"legend":{"A":"stone","B":"glass"}}`), 2); err != nil {
		t.Fatal(err)
	}
	r, err = NewHouses(2).Report(t.Context(), p, []string{"/fill 0 0 0 0 0 0 stone", "/kill\n/fill 1 1 0 1 1 0 glass"}, 0)
	want = "Wrong cells: 3, (1, 0, 0) is air and should be stone; (0, 1, 0) is air and should be glass; (1, 1, 0) is glass and should be air. " +
		"Of your lines 2 were commands that could be carried out."
	if err != nil || r[1] != want || !strings.Contains(r[0], "Of your lines 1 ") {
		t.Errorf("%q, %v\nwant %q", r, err, want)
	}
	if r, _ = NewHouses(2).Report(t.Context(), p, []string{"", ""}, -1); !strings.Contains(r[0], "such as (0, 1, 0) is air") || !strings.Contains(r[0], "Nobody fights") {
		t.Errorf("%q", r)
	}
}

// told is what agents hear of their responses to an item in a kind of report.
func told(t *testing.T, r task.Reporter, p task.Problem, shown int, responses ...string) []string {
	t.Helper()
	reports, err := r.Report(t.Context(), p, responses, shown)
	if err != nil || len(reports) != len(responses) {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	return reports
}

func TestKindsOfDrawings(t *testing.T) {
	p, err := ReadDrawing([]byte(`{"rows":["#.","##"]}`), 2)
	if err != nil {
		t.Fatal(err)
	}
	g := NewDrawings(2)
	// Parts: (0, 0) is the first agent's, with oak_planks, (1, 0) and (0, 1) the second's, with white_concrete and obsidian.
	r := told(t, g.Reporter(Perfect), p, 1, "/setblock 0 0 0 stone\n/setblock 1 1 0 stone\n/setblock 1 0 0 air", "/setblock 1 0 0 white_concrete")
	if want := "Place in your part: 1, (0, 0) oak_planks. Take out of your commands: 2, (1, 1); (1, 0). Keep the rest."; r[0] != want {
		t.Errorf("%q, want %q", r[0], want)
	}
	if want := "Place in your part: 1, (0, 1) obsidian. Take out of your commands: none. Keep the rest."; r[1] != want {
		t.Errorf("%q, want %q", r[1], want)
	}
	r = told(t, g.Reporter(Position), p, 1, "", "")
	if want := "Cells of the letters: (0, 0); (1, 0); (0, 1). Choose about 2 of them, no two of them side by side; the others do the rest."; r[0] != want || r[1] != want {
		t.Errorf("%q, want %q", r, want)
	}
	if alone, _ := ReadDrawing([]byte(`{"rows":["#"]}`), 1); told(t, NewDrawings(1).Reporter(Position), alone, 1, "")[0] != "Cells of the letters: (0, 0)." {
		t.Error("a single agent has others")
	}
	if g.Reporter(BoxCorrection) != nil {
		t.Error("drawings have boxes")
	}
}

func TestKindsOfHouses(t *testing.T) {
	// Three of stone in the lower layer, one of glass above; each agent may place 2 + 0 of stone and 1 of glass.
	p, err := ReadHouse([]byte(`{"layers":[["AA","A."],["..",".B"]],"legend":{"A":"stone","B":"glass"},"spider_damage":3}`), 2)
	if err != nil {
		t.Fatal(err)
	}
	g := NewHouses(2)
	const first, second = "/fill 0 0 0 0 0 1 stone\n/fill 9 9 9 9 9 9 stone", "/kill\n/fill 0 1 0 0 1 0 glass"
	for _, c := range []struct {
		kind  string
		shown int
		want  [2]string
	}{
		{Perfect, 1, [2]string{
			"Place in your part: 2, (1, 0, 0) stone; (1, 1, 1) glass. Take out of your commands: 1, (0, 0, 1). Keep the rest.",
			"Place in your part: 1, (0, 0, 1) stone. Take out of your commands: 1, (0, 1, 0). Keep the rest.",
		}},
		{Position, 1, [2]string{
			"Cells of the house: stone at (0, 0, 0); (1, 0, 0); (0, 0, 1). glass at (1, 1, 1). Choose about 2 of them; the others do the rest.",
			"Cells of the house: stone at (0, 0, 0); (1, 0, 0); (0, 0, 1). glass at (1, 1, 1). Choose about 2 of them; the others do the rest.",
		}},
		{PositionCorrection, 2, [2]string{
			"Cells to correct: 3, such as (1, 0, 0) stone; (0, 1, 0) air.",
			"Cells to correct: 3, such as (1, 0, 0) stone; (0, 1, 0) air.",
		}},
		{BoxCorrection, 0, [2]string{
			"Your commands that could be carried out: 1, /fill 0 0 0 0 0 1 stone. Boxes to correct in your layers: 1, /fill 0 0 0 1 0 0 stone.",
			"Your commands that could be carried out: 2, /kill; /fill 0 1 0 0 1 0 glass. Boxes to correct in your layers: 2, /fill 0 1 0 1 1 0 air; /fill 1 1 1 1 1 1 glass.",
		}},
		{ResourceSchedule, 1, [2]string{
			"Your commands that could be carried out: 1, /fill 0 0 0 0 0 1 stone. Blocks you have left: glass 1, stone 0. Boxes to build with them: 1, /fill 1 1 1 1 1 1 glass.",
			"Your commands that could be carried out: 2, /kill; /fill 0 1 0 0 1 0 glass. Blocks you have left: glass 0, stone 2. Boxes to build with them: 1, /fill 0 0 0 1 0 0 stone.",
		}},
	} {
		for i, got := range told(t, g.Reporter(c.kind), p, c.shown, first, second) {
			if got != c.want[i] {
				t.Errorf("%s to agent %d: %q\nwant %q", c.kind, i+1, got, c.want[i])
			}
		}
		if quiet := told(t, g.Reporter(c.kind), p, 0, "", "")[0]; strings.Contains(quiet, "Nobody fights") != (c.kind != Position) {
			t.Errorf("%s: %q", c.kind, quiet)
		}
	}
	if g.Reporter("score") != nil {
		t.Error("there is a kind score")
	}
}

func TestSpendTakesAPartOfTheLastBox(t *testing.T) {
	wall := box{place{0, 1, 0}, place{3, 1, 2}, "stone"} // 4 by 3
	if got := spend([]box{wall}, map[string]int{"stone": 7}); len(got) != 1 || got[0] != "/fill 0 1 0 1 1 2 stone" {
		t.Errorf("%q, want 2 by 3 of 7 blocks", got)
	}
	if got := spend([]box{wall, {wall.from, wall.from, "stone"}}, map[string]int{"stone": 12}); len(got) != 1 {
		t.Errorf("%q, want the wall alone", got)
	}
}

// The boxes of a plan are of one block, and every cell lies in one of them.
func TestPlans(t *testing.T) {
	g := NewHouses(2)
	problems, _ := g.Problems(task.Train, 8)
	for _, p := range problems {
		b, err := g.build(p, []string{"", ""})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[place]bool{}
		for _, x := range b.plan() {
			for at := range x.all() {
				if seen[at] || b.target[b.size.index(at)] != x.block {
					t.Fatalf("%s: %v in %v", p.ID, at, x)
				}
				seen[at] = true
			}
		}
		if len(seen) != b.size.cells() {
			t.Errorf("%s: %d of %d cells", p.ID, len(seen), b.size.cells())
		}
	}
}

// placing matches what an agent is told to place: in two or three coordinates.
var placing = regexp.MustCompile(`(\([0-9, ]+\)) ([a-z_]+)`)

// follow does what a perfect report says to what an agent has in its cells, and returns the commands for that.
func follow(own map[string]string, report, command string) string {
	change, remove, _ := strings.Cut(report, "Take out")
	for at := range own {
		if strings.Contains(remove, at) {
			delete(own, at)
		}
	}
	for _, m := range placing.FindAllStringSubmatch(change, -1) {
		own[m[1]] = m[2]
	}
	var b strings.Builder
	for at, block := range own {
		at = strings.NewReplacer("(", "", ")", "", ",", "").Replace(at)
		if command == "/fill" {
			at += " " + at
		} else {
			at += " 0"
		}
		fmt.Fprintf(&b, "%s %s %s\n", command, at, block)
	}
	return b.String() + "/kill"
}

// touched is what an agent's commands leave in the cells that they touch.
func (t *Drawings) touched(p task.Problem, agent int, text string) map[string]string {
	d, _ := t.drawing(p, 2)
	own := map[string]string{}
	for at, block := range d.alone(agent, text) {
		if block != untouched {
			own[at.String()] = block
		}
	}
	return own
}

// touched is as that of drawings.
func (t *Houses) touched(p task.Problem, _ int, text string) map[string]string {
	b, _ := t.build(p, []string{"", ""})
	b.cells = slices.Repeat([]string{untouched}, len(b.cells))
	b.carryOut(text)
	own := map[string]string{}
	for at := range b.size.all() {
		if block := b.cells[b.size.index(at)]; block != untouched {
			own[at.String()] = block
		}
	}
	return own
}

// Whoever does what perfect reports say earns the greatest reward, whatever was built before.
func TestPerfectReportsArePerfect(t *testing.T) {
	line := map[string]*rapid.Generator[string]{
		"strbuild":   rapid.StringMatching(`/setblock [0-9] [0-4] 0 (oak_planks|stone|obsidian|white_concrete|air)\n`),
		"housebuild": rapid.StringMatching(`/fill [0-4] [0-4] [0-4] [0-4] [0-4] [0-4] (oak_planks|stone|glass|white_concrete|air)\n`),
	}
	command := map[string]string{"strbuild": "/setblock", "housebuild": "/fill"}
	for _, g := range games() {
		problems, _ := g.Problems(task.Train, 8)
		_, greatest := g.Range()
		rapid.Check(t, func(t *rapid.T) {
			p := rapid.SampledFrom(problems).Draw(t, "problem")
			texts := make([]string, 2)
			for i := range texts {
				texts[i] = strings.Join(rapid.SliceOf(line[g.Name()]).Draw(t, "lines"), "")
			}
			reports, err := g.(task.Reporters).Reporter(Perfect).Report(t.Context(), p, texts, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range texts {
				own := g.(interface {
					touched(task.Problem, int, string) map[string]string
				}).touched(p, i, texts[i])
				texts[i] = follow(own, reports[i], command[g.Name()])
			}
			if s, err := g.Score(t.Context(), p, texts); err != nil || s.Reward != greatest {
				t.Fatalf("%s: %+v, %v, after %q", p.ID, s, err, reports)
			}
		})
	}
}
