package blocks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Palette lists the blocks that one agent may place; "air" removes a block.
type Palette []string

const air = "air"

// A StringScore is what a drawing earned (StrBuild).
type StringScore struct {
	Coverage       float64 // targets that hold a block, of all targets
	Extra          float64 // background cells that hold a block, of all background cells
	SameColour     float64 // 4-adjacent pairs of placed blocks with one colour, of all such pairs; 0 without pairs
	UnusedPalettes int     // agents that did not place every block of their palette, air excepted
	IoU            float64 // covered targets over targets and extra cells together
	Accepted       []int   // commands carried out, by agent
}

// Reward combines the parts: 2·coverage − 1.5·extra − same colour − 0.25 for every incomplete palette.
func (s StringScore) Reward() float64 {
	return 2*s.Coverage - 1.5*s.Extra - s.SameColour - 0.25*float64(s.UnusedPalettes)
}

// cell is a place of the one-layer drawing; y = 0 is the bottom row.
type cell struct{ x, y int }

func (at cell) String() string { return fmt.Sprintf("(%d, %d)", at.x, at.y) }

// ScoreString scores the drawing of rows ('#' is a target, rows top-down) by agents' texts of /setblock commands. The texts
// are carried out in order, so later agents overwrite earlier ones; lines that are no valid command of the agent are skipped;
// maxCommands is shared equally.
func ScoreString(rows []string, texts []string, palettes []Palette, maxCommands int) (StringScore, error) {
	s, _, err := draw(rows, texts, palettes, maxCommands)
	return s, err
}

// draw scores a drawing and returns what stands where.
func draw(rows []string, texts []string, palettes []Palette, maxCommands int) (StringScore, map[cell]string, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return StringScore{}, nil, fmt.Errorf("score drawing: no rows")
	}
	if len(texts) != len(palettes) || len(texts) == 0 {
		return StringScore{}, nil, fmt.Errorf("score drawing: %d texts for %d palettes", len(texts), len(palettes))
	}
	width, height := len(rows[0]), len(rows)
	grid := map[cell]string{}
	var s StringScore
	for i, text := range texts {
		placed := setBlocks(grid, text, palettes[i], width, height, maxCommands/len(texts))
		s.Accepted = append(s.Accepted, placed.commands)
		if !placed.complete(palettes[i]) {
			s.UnusedPalettes++
		}
	}
	s.fill(rows, grid)
	s.SameColour = sameColour(grid)
	return s, grid, nil
}

// placement records what one agent did.
type placement struct {
	commands int
	blocks   []string
}

func (p placement) complete(palette Palette) bool {
	for _, b := range palette {
		if b != air && !slices.Contains(p.blocks, b) {
			return false
		}
	}
	return true
}

func setBlocks(grid map[cell]string, text string, palette Palette, width, height, limit int) placement {
	var p placement
	for line := range strings.Lines(text) {
		at, block, ok := parseSetBlock(line)
		inside := at.x >= 0 && at.x < width && at.y >= 0 && at.y < height
		if !ok || !inside || !slices.Contains(palette, block) || p.commands == limit {
			continue
		}
		p.commands++
		p.blocks = append(p.blocks, block)
		if block == air {
			delete(grid, at)
		} else {
			grid[at] = block
		}
	}
	return p
}

// parseSetBlock reads "/setblock x y z block" with z = 0; the slash and the prefix minecraft: may be missing.
func parseSetBlock(line string) (at cell, block string, ok bool) {
	f := strings.Fields(line)
	if len(f) != 5 || strings.TrimPrefix(f[0], "/") != "setblock" || f[3] != "0" {
		return cell{}, "", false
	}
	x, errX := strconv.Atoi(f[1])
	y, errY := strconv.Atoi(f[2])
	return cell{x, y}, strings.TrimPrefix(f[4], "minecraft:"), errX == nil && errY == nil
}

// fill compares the grid with the rows.
func (s *StringScore) fill(rows []string, grid map[cell]string) {
	var targets, background, covered, extra int
	for r, row := range rows {
		for x, mark := range []byte(row) {
			_, placed := grid[cell{x, len(rows) - 1 - r}]
			switch {
			case mark == '#' && placed:
				targets, covered = targets+1, covered+1
			case mark == '#':
				targets++
			case placed:
				background, extra = background+1, extra+1
			default:
				background++
			}
		}
	}
	s.Coverage = share(covered, targets)
	s.Extra = share(extra, background)
	s.IoU = share(covered, targets+extra)
}

func sameColour(grid map[cell]string) float64 {
	pairs, same := 0, 0
	for at, block := range grid {
		for _, next := range []cell{{at.x + 1, at.y}, {at.x, at.y + 1}} {
			other, placed := grid[next]
			if !placed {
				continue
			}
			pairs++
			if colour(block) == colour(other) {
				same++
			}
		}
	}
	return share(same, pairs)
}

// stones are the blocks of the stone family whose names do not say so.
var stones = []string{"andesite", "diorite", "granite", "deepslate", "tuff", "basalt"}

// colour returns the family that a block's colour belongs to: wood, stone, concrete, or the block itself.
func colour(block string) string {
	switch {
	case strings.HasSuffix(block, "_planks"), strings.HasSuffix(block, "_wood"):
		return "wood"
	case strings.HasSuffix(block, "_concrete"):
		return "concrete"
	case isStone(block):
		return "stone"
	}
	return block
}

func isStone(block string) bool {
	words := strings.Split(block, "_")
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "stone" || w == "cobblestone" || w == "blackstone" || slices.Contains(stones, w)
	})
}

// share is part/whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
