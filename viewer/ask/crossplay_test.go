package ask

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// met writes runs with the pairs that each keeps, of those who are named by what their weights are.
func met(t *testing.T, kept map[string][]string) (dirs []string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var k KeptPairs
		for i, pair := range kept[name] {
			first, other, _ := strings.Cut(pair, " ")
			way, x := 0, float64(len(pair)+i)
			if strings.HasSuffix(other, "*") { // another way to play
				other, way = strings.TrimSuffix(other, "*"), 7
			}
			k.Pairs = append(k.Pairs, PlayedPair{PairKey: PairKey{first, other, PairWay{Games: way}}, Update: i + 1, Exact: true, Scores: []string{"return"}, Numbers: map[string]float64{"return": x}})
		}
		data, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, pairsFile), data, 0o644); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// TestTogether: runs stand in one table if all of them have played with each other in one way, with the newest weights that have.
func TestTogether(t *testing.T) {
	for name, c := range map[string]struct {
		kept map[string][]string
		want string // runs of the table, with the updates
	}{
		"all":                {map[string][]string{"a": {"a a", "a b"}, "b": {"b b", "b a"}}, "a1 b1"},
		"one side":           {map[string][]string{"a": {"a a", "a b"}, "b": {"b b"}}, ""},
		"alone":              {map[string][]string{"a": {"a a"}, "b": {"b b"}}, ""},
		"nothing":            {map[string][]string{"a": nil, "b": nil}, ""},
		"a third has not":    {map[string][]string{"a": {"a a", "a b"}, "b": {"b b", "b a"}, "c": {"c c", "c a"}}, "a1 b1"},
		"the first has not":  {map[string][]string{"a": nil, "b": {"b b", "b c"}, "c": {"c c", "c b"}}, "b1 c1"},
		"other ways":         {map[string][]string{"a": {"a a", "a b"}, "b": {"b b*", "b a*"}}, ""},
		"newest":             {map[string][]string{"a": {"x x", "x b", "a a", "a b"}, "b": {"b b", "b x", "b a"}}, "a3 b1"},
		"newest that played": {map[string][]string{"a": {"a a", "a b"}, "b": {"b b", "b a", "y y"}}, "a1 b1"},
		"the same weights":   {map[string][]string{"a": {"a a"}, "b": {"a a"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dirs := met(t, c.kept)
			together := Together(dirs)
			var got []string
			if together != nil {
				for i, r := range together.Runs {
					got = append(got, r.Run+string(rune('0'+r.Update)))
					if len(together.Scores[0].Values) != len(together.Runs) || len(together.Scores[0].Values[i]) != len(together.Runs) {
						t.Errorf("values %v of %d runs", together.Scores[0].Values, len(together.Runs))
					}
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("together are %q, want %q", s, c.want)
			}
		})
	}
	dirs := met(t, map[string][]string{"a": {"a a", "a b"}, "b": {"b b", "b a"}})
	if s := Together(dirs).Scores[0]; s.Self.Mean != 3 || s.Cross.Mean != 4 || s.Gap.Mean != 1 || s.Self.CI95 != nil {
		t.Errorf("scores %+v", s)
	}
	if err := os.WriteFile(filepath.Join(dirs[0], pairsFile), []byte(`{"pairs":[{"first`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Together(dirs); got != nil {
		t.Errorf("a damaged file says %+v", got)
	}
}
