package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// A FlatRecipe is the keys of a recipe, such as group.discount, with their values as texts.
//
// No key is known: a recipe that an earlier or a later release wrote can be read as well. So pages about old runs need no language that
// still speaks theirs.
type FlatRecipe struct {
	Keys   []string // in the order of the file
	Values map[string]string

	agents []string
}

// Flatten reads a recipe's YAML.
func Flatten(text string) (*FlatRecipe, error) {
	var tree any
	if err := yaml.UnmarshalWithOptions([]byte(text), &tree, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read recipe: %w", err)
	}
	r := &FlatRecipe{Values: map[string]string{}}
	r.add("", tree)
	return r, nil
}

func (r *FlatRecipe) add(path string, tree any) {
	m, ok := tree.(yaml.MapSlice)
	if !ok || len(m) == 0 && path != "" {
		r.Keys = append(r.Keys, path)
		r.Values[path] = flatText(tree)
		return
	}
	for _, item := range m {
		key := fmt.Sprint(item.Key)
		if path == "team.agents" {
			r.agents = append(r.agents, key)
		}
		if path != "" {
			key = path + "." + key
		}
		r.add(key, item.Value)
	}
}

// flatText writes a value that is no section: lists in one line.
func flatText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = flatText(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MapSlice:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = fmt.Sprint(x.Key) + ": " + flatText(x.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// Text is the value of a key; empty: there is none.
func (r *FlatRecipe) Text(key string) string { return r.Values[key] }

// Number is the value of a key as a number; otherwise where it is none.
func (r *FlatRecipe) Number(key string, otherwise float64) float64 {
	x, err := strconv.ParseFloat(r.Values[key], 64)
	if err != nil {
		return otherwise
	}
	return x
}

// Agents are the names of the team's agents: their own, or agent 1, agent 2, …
func (r *FlatRecipe) Agents() []string {
	if len(r.agents) > 0 {
		return slices.Clone(r.agents)
	}
	n := min(max(int(r.Number("team.agents", 1)), 1), mostAgents)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("agent %d", i+1)
	}
	return names
}

// mostAgents is the most of a team: a hostile number makes no list.
const mostAgents = 64

// A FlatDifference is a key that two recipes have with different values; empty: one does not have it.
type FlatDifference struct {
	Key string
	A   string
	B   string
}

// CompareFlat lists the keys whose values differ, but for those that are left out, in the order of a and then of b.
func CompareFlat(a, b *FlatRecipe, without ...string) []FlatDifference {
	var out []FlatDifference
	seen := map[string]bool{}
	for _, key := range slices.Concat(a.Keys, b.Keys) {
		if seen[key] || slices.Contains(without, key) {
			continue
		}
		seen[key] = true
		x, inA := a.Values[key]
		y, inB := b.Values[key]
		if x != y || inA != inB {
			out = append(out, FlatDifference{key, x, y})
		}
	}
	return out
}
