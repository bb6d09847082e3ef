package blocks

import (
	"strings"

	"parley/task"
)

// A plan is a house in words: the blocks of its parts and its size.
type plan struct {
	name                             string
	size                             Size
	floor, wall, corner, roof, light string // blocks; light is that of the windows
	peaked                           bool   // the roof becomes smaller upwards; else it is flat
}

// usualPlans are the houses.
var usualPlans = splitting[plan]{task.Train: {
	{"cabin", Size{6, 7, 7}, "stone", "oak_planks", "oak_log", "spruce_planks", "glass", true},
	{"hut", Size{5, 5, 5}, "cobblestone", "birch_planks", "birch_log", "oak_planks", "glass", false},
	{"tower", Size{5, 8, 5}, "stone", "stone_bricks", "polished_andesite", "dark_oak_planks", "iron_bars", true},
	{"barn", Size{8, 6, 6}, "oak_planks", "spruce_planks", "spruce_log", "brown_wool", "glass", true},
	{"bungalow", Size{8, 5, 7}, "smooth_stone", "white_concrete", "quartz_block", "gray_concrete", "light_blue_stained_glass", false},
	{"workshop", Size{7, 6, 6}, "cobblestone", "bricks", "stone_bricks", "stone", "glass", false},
	{"chapel", Size{6, 8, 8}, "stone", "sandstone", "smooth_sandstone", "red_sandstone", "yellow_stained_glass", true},
	{"greenhouse", Size{7, 6, 7}, "dirt", "glass", "iron_block", "gray_stained_glass", "white_stained_glass", false},
}, task.Test: {
	{"cottage", Size{6, 7, 7}, "oak_planks", "white_concrete", "dark_oak_log", "bricks", "glass", true},
	{"bunker", Size{7, 5, 7}, "obsidian", "stone_bricks", "black_concrete", "stone", "iron_bars", false},
}}

// Letters of the drawings of houses.
const (
	floorLetter  = "F"
	wallLetter   = "W"
	cornerLetter = "C"
	roofLetter   = "R"
	lightLetter  = "L"
)

// house draws a plan.
func (p plan) house() House {
	h := House{
		Name: p.name, Damage: attack(p.name), HP: hitPoints,
		Legend: map[string]string{floorLetter: p.floor, wallLetter: p.wall, cornerLetter: p.corner, roofLetter: p.roof, lightLetter: p.light},
	}
	for y := range p.size[1] {
		layer := make([]string, p.size[2])
		for z := range layer {
			var row strings.Builder
			for x := range p.size[0] {
				row.WriteString(p.letter(x, y, z))
			}
			layer[z] = row.String()
		}
		h.Layers = append(h.Layers, layer)
	}
	return h
}

// roofLayers is how many layers the roof takes.
func (p plan) roofLayers() int {
	if p.peaked {
		return 3
	}
	return 1
}

// letter says what is at a cell: "." for air.
func (p plan) letter(x, y, z int) string {
	walls := p.size[1] - p.roofLayers()
	last := [2]int{p.size[0] - 1, p.size[2] - 1}
	onX, onZ := x == 0 || x == last[0], z == 0 || z == last[1]
	switch {
	case y == 0:
		return floorLetter
	case y >= walls:
		inset := y - walls
		if x >= inset && x <= last[0]-inset && z >= inset && z <= last[1]-inset {
			return roofLetter
		}
		return "."
	case onX && onZ:
		return cornerLetter
	case z == 0 && x == p.size[0]/2 && y <= 2: // the door
		return "."
	case onX && y == 2 && z%2 == 0, onZ && y == 2 && x%2 == 1:
		return lightLetter
	case onX || onZ:
		return wallLetter
	}
	return "."
}
