package study

import "parley/recipe"

// Parse reads a study; file is its name in messages.
func Parse(l *recipe.Language, file string, data []byte) (*Study, *Plan, error) {
	return read(l, file, ".", data)
}
