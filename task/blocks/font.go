package blocks

import (
	"fmt"
	"slices"
	"strings"
)

// glyphSize is the width and height of a letter in cells, gap the empty columns between two.
const (
	glyphSize = 5
	gap       = 2
)

// font holds the letters of the strings that are drawn, rows top-down.
var font = map[rune][glyphSize]string{
	'A': {".###.", "#...#", "#####", "#...#", "#...#"},
	'B': {"####.", "#...#", "####.", "#...#", "####."},
	'C': {".####", "#....", "#....", "#....", ".####"},
	'E': {"#####", "#....", "####.", "#....", "#####"},
	'G': {".####", "#....", "#..##", "#...#", ".####"},
	'H': {"#...#", "#...#", "#####", "#...#", "#...#"},
	'I': {"#####", "..#..", "..#..", "..#..", "#####"},
	'J': {"..###", "...#.", "...#.", "#..#.", ".##.."},
	'L': {"#....", "#....", "#....", "#....", "#####"},
	'M': {"#...#", "##.##", "#.#.#", "#...#", "#...#"},
	'N': {"#...#", "##..#", "#.#.#", "#..##", "#...#"},
	'O': {".###.", "#...#", "#...#", "#...#", ".###."},
	'R': {"####.", "#...#", "####.", "#..#.", "#...#"},
	'S': {".####", "#....", ".###.", "....#", "####."},
	'T': {"#####", "..#..", "..#..", "..#..", "..#.."},
	'U': {"#...#", "#...#", "#...#", "#...#", ".###."},
	'X': {"#...#", ".#.#.", "..#..", ".#.#.", "#...#"},
	'Y': {"#...#", ".#.#.", "..#..", "..#..", "..#.."},
}

// Rows returns the drawing of a text, rows top-down, '#' where a block belongs. An error names a letter that has no glyph.
func Rows(text string) ([]string, error) {
	if text == "" {
		return nil, fmt.Errorf("no text to draw")
	}
	var columns [glyphSize][]string
	for _, letter := range text {
		glyph, ok := font[letter]
		if !ok {
			return nil, fmt.Errorf("there is no glyph for %q", letter)
		}
		for r := range columns {
			columns[r] = append(columns[r], glyph[r])
		}
	}
	rows := make([]string, glyphSize)
	for r := range rows {
		rows[r] = strings.Join(columns[r], strings.Repeat(".", gap))
	}
	return slices.Clip(rows), nil
}
