package vectortest

import (
	"fmt"
	"math"
	"os"
	"testing"

	"parley/internal/turn"
	"parley/task/sandbox"
)

// tolerance of the MAPoRL vectors: 1e-9·max(1, |expected|), unless an entry has its own.
const tolerance = 1e-9

// maporlSections runs one case of each section of maporl.json.
var maporlSections = map[string]func(*testing.T, Case){
	"rewards":            rewardsCase,
	"penalties":          penaltiesCase,
	"incentives":         incentivesCase,
	"repetition":         repetitionCase,
	"votes":              votesCase,
	"parse":              parseCase,
	"transitions":        transitionsCase,
	"gae":                gaeCase,
	"whiten":             whitenCase,
	"ppo_clip":           ppoClipCase,
	"value_clip":         valueClipCase,
	"bce":                bceCase,
	"turn_schedule":      turnScheduleCase,
	"game":               gameCase,
	"game_static":        gameStaticCase,
	"game_fixed_points":  gameFixedPointsCase,
	"game_best_response": gameBestResponseCase,
	"game_average":       gameAverageCase,
}

// maporlPending names sections of work that has not begun.
var maporlPending = []string{}

func TestVectorsMAPoRL(t *testing.T) { runSections(t, "maporl.json", maporlSections, maporlPending) }

// runSections runs every case of a vector file as subtest section/id. A section of the file that is neither known nor
// pending fails, and so does a known one that the file lacks.
func runSections(t *testing.T, name string, sections map[string]func(*testing.T, Case), pending []string) {
	f, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for section := range sections {
		if len(f.Sections[section]) == 0 {
			t.Errorf("section %s: not in %s", section, name)
		}
	}
	for _, section := range pending {
		if sections[section] != nil {
			t.Errorf("section %s: begun, but still in the list of those that are not", section)
		}
		delete(f.Sections, section)
	}
	elsewhere := os.Getenv(sandbox.BackendVariable) != "" // in a sandbox where every program takes part of a second
	for section, cases := range f.Sections {
		run := sections[section]
		t.Run(section, func(t *testing.T) {
			if run == nil {
				t.Fatalf("section %s of %s is not known", section, name)
			}
			for _, c := range cases {
				if !elsewhere || turn.Has(c.ID) {
					t.Run(c.ID, func(t *testing.T) { run(t, c) })
				}
			}
		})
	}
}

func decode[T any](t *testing.T, c Case) T {
	t.Helper()
	var v T
	if err := c.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// near compares with the tolerance of the case.
func near(t *testing.T, c Case, what string, got, want float64) {
	t.Helper()
	tol := tolerance
	if c.Tolerance != nil {
		tol = *c.Tolerance
	}
	if !Close(got, want, tol) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func nearSlice(t *testing.T, c Case, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		near(t, c, fmt.Sprintf("%s[%d]", what, i), got[i], want[i])
	}
}

func nearRows(t *testing.T, c Case, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		nearSlice(t, c, fmt.Sprintf("%s[%d]", what, i), got[i], want[i])
	}
}

// nearOrNull compares with a number that is null where it is not defined, which is NaN on our side.
func nearOrNull(t *testing.T, c Case, what string, got float64, want *float64) {
	t.Helper()
	if want == nil {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want it undefined", what, got)
		}
		return
	}
	near(t, c, what, got, *want)
}

// truths turns 0 and 1 into booleans.
func truths(rows [][]int) [][]bool {
	out := make([][]bool, len(rows))
	for i, row := range rows {
		for _, x := range row {
			out[i] = append(out[i], x == 1)
		}
	}
	return out
}
