package blocks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
)

var (
	_ task.JointScorer = (*Drawings)(nil)
	_ task.JointScorer = (*Houses)(nil)
	_ task.Reporters   = (*Drawings)(nil)
	_ task.Reporters   = (*Houses)(nil)
)

// games are both tasks for two agents.
func games() []interface {
	task.Task
	task.JointScorer
} {
	return []interface {
		task.Task
		task.JointScorer
	}{NewDrawings(2), NewHouses(2)}
}

func TestSplits(t *testing.T) {
	for _, g := range games() {
		seen := map[string]bool{}
		for split, want := range map[task.Split]int{task.Train: 8, task.Test: 2} {
			problems, err := g.Problems(split, 100)
			if err != nil || len(problems) != want {
				t.Fatalf("%s: %d problems, %v", g.Name(), len(problems), err)
			}
			for _, p := range problems {
				if seen[p.ID] || p.Question == "" {
					t.Errorf("%s: problem %+v", g.Name(), p)
				}
				seen[p.ID] = true
			}
			if few, _ := g.Problems(split, 1); len(few) != 1 {
				t.Errorf("%s: %d problems, want 1", g.Name(), len(few))
			}
		}
		if _, err := g.Problems(task.Verifier, 1); err == nil {
			t.Errorf("%s has verifier problems", g.Name())
		}
	}
}

// TestMade: what is made is as what ships, nothing of it is held out and trained on, and no order of letters or of sizes says what is held out.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		kind        task.Type
		train, held int
	}{{StrBuild(), 260, 64}, {HouseBuild(), 389, 97}} {
		g, err := c.kind.Open(t.Context(), &Settings{Made: true}, task.Environment{Agents: 2})
		if err != nil {
			t.Fatal(err)
		}
		seen, ends := map[string]bool{}, map[byte]bool{}
		for split, want := range map[task.Split]int{task.Train: c.train, task.Test: c.held} {
			problems, err := g.Problems(split, 1000)
			if err != nil || len(problems) != want {
				t.Fatalf("%s: %d problems, %v", g.Name(), len(problems), err)
			}
			for _, p := range problems {
				if seen[p.Fields[FieldItem]] {
					t.Errorf("%s appears twice", p.ID)
				}
				seen[p.Fields[FieldItem]] = true
				if key := p.Question + p.Fields[FieldSize]; split == task.Test {
					ends[key[len(key)-1]] = true
				}
			}
		}
		if len(ends) < 3 {
			t.Errorf("%s holds out only what ends in %v", g.Name(), ends)
		}
	}
}

// TestPerfectDrawings: two agents that alternate their blocks along a checkerboard draw every text for the full reward.
func TestPerfectDrawings(t *testing.T) {
	g := NewDrawings(2)
	for _, split := range []task.Split{task.Train, task.Test} {
		problems, _ := g.Problems(split, 100)
		for _, p := range problems {
			var d Drawing
			if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &d); err != nil {
				t.Fatal(err)
			}
			blocks := []string{"oak_planks", "white_concrete", "stone", "obsidian"}
			var texts [2]string
			for r, row := range d.Rows {
				for x, mark := range row {
					if y := len(d.Rows) - 1 - r; mark == '#' {
						n := (x + 2*(y%2)) % 4
						texts[n%2] += fmt.Sprintf("/setblock %d %d 0 %s\n", x, y, blocks[n])
					}
				}
			}
			s, err := g.Score(t.Context(), p, texts[:])
			if err != nil || s.Parts["iou"] != 1 || s.Reward != 2 {
				t.Errorf("%s: %+v, %v", p.ID, s, err)
			}
		}
	}
}

// TestPerfectHouses: two agents that share the cells of a house earn 1, and a little less when nobody fights.
func TestPerfectHouses(t *testing.T) {
	g := NewHouses(2)
	for _, split := range []task.Split{task.Train, task.Test} {
		problems, _ := g.Problems(split, 100)
		for _, p := range problems {
			var h House
			if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &h); err != nil {
				t.Fatal(err)
			}
			size, target, err := h.target()
			if err != nil {
				t.Fatal(err)
			}
			var texts [2]string
			turn := map[string]int{}
			for at := range size.all() {
				if block := target[size.index(at)]; block != air {
					texts[turn[block]%2] += box{at, at, block}.String() + "\n"
					turn[block]++
				}
			}
			s, err := g.Score(t.Context(), p, texts[:])
			if err != nil || s.Parts["match"] != 1 || s.Reward != 1-0.1*min(1, h.Damage/hitPoints) || h.Damage < 3 || h.Damage > 9 {
				t.Errorf("%s: %+v, %v", p.ID, s, err)
			}
			if s, _ = g.Score(t.Context(), p, []string{texts[0] + "/kill @e[type=spider]", texts[1]}); s.Reward != 1 {
				t.Errorf("%s: with a fight %+v", p.ID, s)
			}
		}
	}
}

func TestCommandsOfHouses(t *testing.T) {
	layers := [][]string{{"AA", "AA"}, {"..", ".B"}}
	h := House{Name: "x", Layers: layers, Legend: map[string]string{"A": "stone", "B": "glass"}, HP: 5}
	p, err := h.problem(2)
	if err != nil {
		t.Fatal(err)
	}
	if p.Fields[FieldBlocks] != "A = stone (at most 3), B = glass (at most 1)" || p.Fields[FieldSize] != "2 x 2 x 2" || !strings.HasPrefix(p.Question, "y = 0\nAA\nAA\ny = 1") {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct {
		name          string
		first, second string
		match         float64
		usable        []bool
	}{
		{"nothing", "", "hello\n\n", 3. / 8, []bool{false, false}},
		{"one row each", "/fill 0 0 0 1 0 0 stone", "fill 0 0 1 1 0 1 minecraft:stone", 7. / 8, []bool{true, true}},
		{"corners the wrong way round", "/fill 1 0 0 0 0 0 stone", "", 5. / 8, []bool{true, false}},
		{"more than the limit", "/fill 0 0 0 1 0 1 stone", "", 3. / 8, []bool{false, false}},
		{"the limit over two commands", "/fill 0 0 0 1 0 0 stone\n/fill 0 0 1 1 0 1 stone", "", 5. / 8, []bool{true, false}},
		{"outside", "/fill 0 0 0 2 0 0 stone\n/fill 0 -1 0 0 0 0 stone", "", 3. / 8, []bool{false, false}},
		{"no such block", "/fill 0 0 0 0 0 0 dirt", "", 3. / 8, []bool{false, false}},
		{"not a command", "/fill 0 0 0 0 0 stone\n/fill a 0 0 0 0 0 stone\n/setblock 0 0 0 stone", "", 3. / 8, []bool{false, false}},
		{"air removes", "/fill 0 0 0 1 0 0 stone", "/fill 0 0 0 1 1 1 air", 3. / 8, []bool{true, true}},
		{"later agents build over", "/fill 1 1 1 1 1 1 stone", "/fill 1 1 1 1 1 1 glass", 4. / 8, []bool{true, true}},
	} {
		s, err := NewHouses(2).Score(t.Context(), p, []string{c.first, c.second})
		if err != nil || s.Parts["match"] != c.match || !slices.Equal(s.Signals.Usable, c.usable) {
			t.Errorf("%s: %+v %v, %v", c.name, s, s.Signals.Usable, err)
		}
	}
}

func TestReadItems(t *testing.T) {
	p, err := ReadDrawing([]byte(`{"text":"hi"}`), 2)
	if err != nil || p.Fields[FieldWidth] != "12" || p.Fields[FieldHeight] != "5" || p.Fields["palette_2"] != "white_concrete, obsidian, air" || p.Fields[FieldCommands] != "150" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, item := range []string{`{}`, `{"text":"ß"}`, `{"rows":[]}`, `{"rows":[""]}`, `{"text":"HI","palettes":[["stone"]]}`, `[`} {
		if p, err := ReadDrawing([]byte(item), 2); err == nil {
			t.Errorf("%s: %+v", item, p)
		}
	}
	for _, item := range []string{`{}`, `{"layers":[["A"]]}`, `{"layers":[["A","AA"]],"legend":{"A":"stone"}}`, `[`} {
		if p, err := ReadHouse([]byte(item), 2); err == nil {
			t.Errorf("%s: %+v", item, p)
		}
	}
}

// TestAlone: one model that does a pair's work has the blocks and the commands of both.
func TestAlone(t *testing.T) {
	p, err := ReadDrawing([]byte(`{"rows":["##"]}`), 2)
	if err != nil || p.Fields[FieldPalette] != "oak_planks, stone, air, white_concrete, obsidian" || p.Fields[FieldAloneCommands] != "300" {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]float64{
		"/setblock 0 0 0 stone\n/setblock 1 0 0 obsidian":                                                             2 - 0.25,
		"/setblock 0 0 0 oak_planks\n/setblock 0 0 0 stone\n/setblock 1 0 0 white_concrete\n/setblock 1 0 0 obsidian": 2,
	} {
		if s, err := NewDrawings(2).Score(t.Context(), p, []string{text}); err != nil || s.Reward != want || *s.Signals.Solved != 1 {
			t.Errorf("%q earns %+v, %v; want %v", text, s, err, want)
		}
	}
	h, err := ReadHouse([]byte(`{"layers":[["AAA"]],"legend":{"A":"stone"}}`), 2)
	if err != nil || h.Fields[FieldBlocks] != "A = stone (at most 2)" || h.Fields[FieldAloneBlocks] != "A = stone (at most 4)" {
		t.Errorf("%+v, %v", h, err)
	}
	if s, err := NewHouses(2).Score(t.Context(), h, []string{"/fill 0 0 0 2 0 0 stone\n/kill"}); err != nil || s.Reward != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Rewards stay in their ranges, whatever agents write.
func TestRewardsStayInRange(t *testing.T) {
	line := rapid.StringMatching(`/(setblock [0-9]{1,2} [0-4] 0|fill [0-5] [0-6] [0-6] [0-5] [0-6] [0-6]|kill) (oak_planks|stone|obsidian|white_concrete|air|glass)\n`)
	for _, g := range games() {
		least, greatest := g.Range()
		problems, _ := g.Problems(task.Train, 8)
		rapid.Check(t, func(t *rapid.T) {
			write := func() string { return strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "") }
			s, err := g.Score(t.Context(), rapid.SampledFrom(problems).Draw(t, "problem"), []string{write(), write()})
			if err != nil || s.Reward < least || s.Reward > greatest {
				t.Fatalf("%+v, %v", s, err)
			}
		})
	}
}

func FuzzReadHouse(f *testing.F) {
	f.Add([]byte(`{"layers":[["A."]],"legend":{"A":"stone"},"spider_damage":6}`))
	f.Fuzz(func(t *testing.T, item []byte) {
		p, err := ReadHouse(item, 2)
		if err != nil {
			return
		}
		if _, err := NewHouses(2).Score(t.Context(), p, []string{"/fill 0 0 0 0 0 0 stone", "/kill"}); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzReadDrawing(f *testing.F) {
	f.Add([]byte(`{"text":"HI"}`))
	f.Add([]byte(`{"rows":["#.","##"],"palettes":[["stone"],["obsidian"]],"max_commands":3}`))
	f.Fuzz(func(t *testing.T, item []byte) {
		p, err := ReadDrawing(item, 2)
		if err != nil {
			return
		}
		var d Drawing
		if json.Unmarshal([]byte(p.Fields[FieldItem]), &d) != nil || len(d.Palettes) == 0 {
			return
		}
		if _, err := NewDrawings(2).Score(t.Context(), p, make([]string, len(d.Palettes))); err != nil {
			t.Fatal(err)
		}
	})
}
