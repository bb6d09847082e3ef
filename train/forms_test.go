package train_test

import (
	"encoding/json"
	"testing"

	"parley/rl/rollout"
	"parley/runs"
	"parley/task/environment"
	"parley/train/shortrun"
)

// TestFormsLoseNoGame: of players whose answers are held to the digits of cells, no game is lost by what is no digit, from the first update. As hot as they are drawn
// here, many are without the form.
func TestFormsLoseNoGame(t *testing.T) {
	unreadable := func(sets ...string) (without, texts int) {
		r := shortrun.Load(t, "tictactoe-selfplay-tiny", append([]string{"training.updates=1", "task.games=4", "sampling.temperature=4"}, append(tiny[1:], sets...)...)...)
		result, _ := shortrun.Run(t, r)
		err := runs.ReadEpisodes(result.Dir, 1, func(data []byte) error {
			var e rollout.Episode
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			for _, n := range e.Nodes {
				for _, asked := range n.Agents {
					for _, c := range asked.Completions {
						texts++
						if _, ok := environment.Digit(c.Text, "123456789"); !ok {
							without++
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return without, texts
	}
	if bad, of := unreadable("sampling.regex=[1-9]"); bad > 0 || of == 0 {
		t.Errorf("%d of %d answers have no digit", bad, of)
	}
	if bad, of := unreadable(); bad == 0 {
		t.Errorf("all of %d answers without a form have a digit: the test shows nothing", of)
	}
}
