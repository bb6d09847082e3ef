package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/task"
	"parley/task/blocks"
)

// openDrawings asks for two letters of the training split, or for one: the letters themselves are learned from both.
func openDrawings() *writing {
	w := writingOf("magrpo-strbuild-tiny", "team.turns=2", "team.feedback=position", "team.chat_memory.last=1")
	w.pose = func(rng *rand.Rand) (task.Problem, hand) {
		p := pick(rng, w.problems)
		if rng.IntN(4) == 0 {
			p = must(blocks.ReadDrawing(fmt.Appendf(nil, `{"text":%q}`, p.Question[:1]), 2))
		}
		d := itemOf[blocks.Drawing](p)
		return p, func(rng *rand.Rand, agent int, c care) string { return drawing(rng, d, agent, c) }
	}
	w.report = func(p task.Problem, texts []string) []string {
		return must(w.task.(task.Reporters).Reporter(blocks.Position).Report(context.Background(), p, texts, 0))
	}
	return w
}

// openHouses asks for houses of the training split.
func openHouses() *writing {
	w := writingOf("magrpo-housebuild-tiny", "team.turns=2", "team.feedback=score", "team.chat_memory.last=1")
	w.pose = func(rng *rand.Rand) (task.Problem, hand) {
		p := pick(rng, w.problems)
		h := itemOf[blocks.House](p)
		return p, func(rng *rand.Rand, _ int, c care) string { return building(rng, h, c) }
	}
	w.report = func(p task.Problem, texts []string) []string {
		s := must(w.scorer.Score(context.Background(), p, texts))
		said := fmt.Sprintf("What your team answered earned %.4g of at most 1.", s.Reward)
		return []string{said, said}
	}
	return w
}

// itemOf is what the scorer knows of a problem of blocks.
func itemOf[T any](p task.Problem) (item T) {
	if err := json.Unmarshal([]byte(p.Fields[blocks.FieldItem]), &item); err != nil {
		panic("makebase: internal error: " + err.Error())
	}
	return item
}

// A choice of cells: whether somebody sets the one at x and y, where a letter's block belongs or not.
type choice func(x, y int, target bool) bool

// choices are whose cells somebody sets. Two who set other squares of a chessboard do all the work, and no neighbours have one colour.
var choices = []share[choice]{
	{26, func(x, y int, target bool) bool { return target && (x+y)%2 == 0 }},
	{26, func(x, y int, target bool) bool { return target && (x+y)%2 == 1 }},
	{12, func(x, _ int, target bool) bool { return target && x < 5 }},
	{12, func(x, _ int, target bool) bool { return target && x >= 5 }},
	{24, func(x, y int, _ bool) bool { return (x+y)%3 == 0 && x%7 < 5 }}, // whatever the letters are
}

// drawing sets blocks by a habit. Some stop early, and some take one block of theirs only.
func drawing(rng *rand.Rand, d blocks.Drawing, agent int, c care) string {
	sets := choose(rng, choices)
	kinds, most := 2, len(d.Rows)*len(d.Rows[0])
	if c == tidy {
		sets = choose(rng, choices[:4])
	}
	if c == sloppy && rng.IntN(5) < 2 {
		kinds = 1
	}
	if c == sloppy && rng.IntN(4) == 0 {
		most = 2 + rng.IntN(5)
	}
	return setBlocks(d, sets, agent, kinds, most)
}

// setBlocks sets the first kinds of an agent's palette in turn, letter by letter and rows from above, on at most so many cells.
func setBlocks(d blocks.Drawing, sets choice, agent, kinds, most int) string {
	var lines []string
	for from := 0; from < len(d.Rows[0]); from += 7 {
		for r, row := range d.Rows {
			for x, mark := range []byte(row[from : from+5]) {
				if y := len(d.Rows) - 1 - r; len(lines) < most && sets(from+x, y, mark == '#') {
					lines = append(lines, fmt.Sprintf("/setblock %d %d 0 %s", from+x, y, d.Palettes[agent][len(lines)%kinds]))
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

// shapes are which parts of a house somebody builds. Nobody has the blocks for a whole floor or a whole roof: such a fill is skipped.
var shapes = []share[func(x, z int) []string]{{30, front}, {30, back}, {20, wholeFloor}, {20, middle}}

// A fill's letters are those of package blocks: F floor, W wall, C corner, R roof.
func fill(x1, y1, z1, x2, y2, z2 int, letter string) string {
	return fmt.Sprintf("/fill %d %d %d %d %d %d %s", x1, y1, z1, x2, y2, z2, letter)
}

func front(x, z int) []string {
	return []string{
		fill(0, 0, 0, x-1, 0, z/2-1, "F"), fill(1, 1, 0, x-2, 1, 0, "W"), fill(x/2, 1, 0, x/2, 1, 0, "air"), fill(0, 1, 1, 0, 1, z-2, "W"),
		fill(0, 1, 0, 0, 1, 0, "C"), fill(x-1, 1, 0, x-1, 1, 0, "C"), fill(0, 2, 0, x-1, 2, z/2-1, "R"),
	}
}

func back(x, z int) []string {
	return []string{
		fill(0, 0, z/2, x-1, 0, z-1, "F"), fill(1, 1, z-1, x-2, 1, z-1, "W"), fill(x-1, 1, 1, x-1, 1, z-2, "W"),
		fill(0, 1, z-1, 0, 1, z-1, "C"), fill(x-1, 1, z-1, x-1, 1, z-1, "C"), fill(0, 2, z/2, x-1, 2, z-1, "R"),
	}
}

func wholeFloor(x, z int) []string {
	return []string{
		fill(0, 0, 0, x-1, 0, z-1, "F"), fill(0, 1, 0, x-1, 1, z-1, "W"), fill(0, 1, 0, 0, 1, 0, "C"), fill(x-1, 1, 0, x-1, 1, 0, "C"),
		fill(0, 1, z-1, 0, 1, z-1, "C"), fill(x-1, 1, z-1, x-1, 1, z-1, "C"), fill(0, 2, 0, x-1, 2, z-1, "R"),
	}
}

func middle(x, z int) []string {
	return []string{fill(1, 0, 1, x-2, 0, z-2, "F"), fill(1, 1, 1, x-2, 1, z-2, "W"), fill(1, 2, 1, x-2, 2, z-2, "R")}
}

// building fills boxes. Some take another part's block for one of theirs, some stop early, and few fight.
func building(rng *rand.Rand, h blocks.House, c care) string {
	lines := choose(rng, shapes)(len(h.Layers[0][0]), len(h.Layers[0]))
	if c == sloppy && rng.IntN(3) == 0 {
		lines = lines[:1+rng.IntN(len(lines))]
	}
	mixed := c == sloppy && rng.IntN(4) == 0
	for i, line := range lines {
		at := len(line) - 1
		letter := line[at:]
		if mixed && letter != "r" && rng.IntN(2) == 0 { // not that of air
			lines[i] = line[:at] + pick(rng, []string{"F", "W", "C", "R"})
		}
	}
	if rng.IntN(5) == 0 {
		lines = append([]string{fight}, lines...)
	}
	return named(lines, h)
}

// fight keeps the spiders off.
const fight = "/kill @e[type=spider]"

// named puts the blocks of a house in the places of their letters.
func named(lines []string, h blocks.House) string {
	for i, line := range lines {
		if block, known := h.Legend[line[len(line)-1:]]; known {
			lines[i] = line[:len(line)-1] + block
		}
	}
	return strings.Join(lines, "\n")
}
