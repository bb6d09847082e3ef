package blocks

import (
	"slices"
	"strings"
	"testing"
)

var palettes = []Palette{{"oak_planks", "stone", "air"}, {"white_concrete", "obsidian", "air"}}

func drawn(t *testing.T, rows []string, maxCommands int, texts ...string) StringScore {
	t.Helper()
	s, err := ScoreString(rows, texts, palettes[:len(texts)], maxCommands)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScoreString(t *testing.T) {
	rows := []string{"#.", "##"} // bottom row y = 0
	for _, c := range []struct {
		name     string
		texts    []string
		coverage float64
		extra    float64
		accepted []int
	}{
		{"y counts from below", []string{"/setblock 1 1 0 stone", ""}, 0, 1, []int{1, 0}},
		{"the top left target", []string{"/setblock 0 1 0 stone", ""}, 1.0 / 3, 0, []int{1, 0}},
		{"air removes", []string{"/setblock 0 0 0 stone", "/setblock 0 0 0 air"}, 0, 0, []int{1, 1}},
		{"no slash, with name space", []string{"setblock 0 0 0 minecraft:stone", ""}, 1.0 / 3, 0, []int{1, 0}},
		{"invalid lines", []string{"/setblock 0 0 1 stone\n/setblock 2 0 0 stone\n/setblock -1 0 0 stone\n/setblock a 0 0 stone\n/fill 0 0 0 stone\nhello", ""}, 0, 0, []int{0, 0}},
		{"foreign block", []string{"/setblock 0 0 0 obsidian", "/setblock 0 0 0 stone"}, 0, 0, []int{0, 0}},
	} {
		s := drawn(t, rows, 300, c.texts...)
		if s.Coverage != c.coverage || s.Extra != c.extra || !slices.Equal(s.Accepted, c.accepted) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestCommandsAreSharedEqually(t *testing.T) {
	s := drawn(t, []string{"###"}, 4,
		"/setblock 0 0 0 stone\nskipped\n/setblock 1 0 0 oak_planks\n/setblock 2 0 0 stone", "/setblock 2 0 0 obsidian")
	if !slices.Equal(s.Accepted, []int{2, 1}) || s.Coverage != 1 {
		t.Errorf("%+v", s)
	}
	if s.UnusedPalettes != 1 { // the second agent placed no white_concrete
		t.Errorf("%d incomplete palettes, want 1", s.UnusedPalettes)
	}
}

func TestColours(t *testing.T) {
	families := [][]string{
		{"oak_planks", "birch_planks", "oak_wood"},
		{"stone", "cobblestone", "stone_bricks", "polished_andesite"},
		{"white_concrete", "black_concrete"},
		{"obsidian"},
		{"redstone_block"},
		{"glowstone"},
	}
	for i, family := range families {
		for _, block := range family {
			for j, other := range families {
				if same := colour(block) == colour(other[0]); same != (i == j) {
					t.Errorf("%s and %s have one colour: %v", block, other[0], same)
				}
			}
		}
	}
	s := drawn(t, []string{"##", "##"}, 300, "/setblock 0 0 0 stone\n/setblock 1 0 0 stone\n/setblock 0 1 0 oak_planks", "")
	if s.SameColour != 0.5 {
		t.Errorf("one pair of two has one colour: %v", s.SameColour)
	}
}

func TestScoreHouse(t *testing.T) {
	target := strings.Split("ABBA", "")
	for _, c := range []struct {
		built  string
		damage float64
		kill   bool
		want   float64
	}{
		{"ABBA", 99, true, 1}, {"ABBA", 99, false, 0.9}, {"ABBA", 2.5, false, 0.95}, {"AAAA", 0, false, 0.5},
	} {
		s, err := ScoreHouse(target, strings.Split(c.built, ""), c.damage, 5, c.kill)
		if err != nil || s.Reward() != c.want {
			t.Errorf("%s: %v, %v, want %v", c.built, s.Reward(), err, c.want)
		}
	}
	if got := BlockLimit(7, 2); got != 5 { // ceil(7/2) + floor(7/4)
		t.Errorf("limit %d, want 5", got)
	}
}

func TestErrors(t *testing.T) {
	if _, err := ScoreString(nil, []string{""}, palettes[:1], 300); err == nil {
		t.Error("a drawing without rows is scored")
	}
	if _, err := ScoreString([]string{"#"}, []string{""}, palettes, 300); err == nil {
		t.Error("one text for two palettes is scored")
	}
	if _, err := ScoreHouse([]string{"A"}, nil, 0, 5, true); err == nil {
		t.Error("a house without cells is scored")
	}
}

// Whatever agents write, shares stay shares.
func FuzzScoreString(f *testing.F) {
	f.Add("/setblock 0 0 0 stone\n/setblock 1 0 0 air", "/setblock 0 1 0 obsidian")
	f.Add("/setblock 99999999999999999999 0 0 stone", "\xff")
	f.Fuzz(func(t *testing.T, first, second string) {
		s, err := ScoreString([]string{"#.#", ".#."}, []string{first, second}, palettes, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{s.Coverage, s.Extra, s.SameColour, s.IoU} {
			if share < 0 || share > 1 {
				t.Fatalf("%+v", s)
			}
		}
		if slices.Max(s.Accepted) > 5 {
			t.Fatalf("%v commands carried out", s.Accepted)
		}
	})
}
