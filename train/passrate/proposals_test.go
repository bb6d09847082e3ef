package passrate

import (
	"fmt"
	"strings"
	"testing"

	"parley/task"
)

// TestRows: a row holds the v-th proposal of every peer; a problem with 9 of 12 right is left out, one with 8 is kept.
func TestRows(t *testing.T) {
	drawn := func(id string, right int) Drawn {
		d := Drawn{ID: id}
		for peer := range 3 {
			p := Peer{Agent: peer}
			for v := range 4 {
				p.Texts, p.Finals, p.Right = append(p.Texts, fmt.Sprint(peer, v)), append(p.Finals, "7"), append(p.Right, 4*peer+v < right)
			}
			d.Peers = append(d.Peers, p)
		}
		return d
	}
	problems := []task.Problem{{ID: "nine"}, {ID: "eight"}}
	var notes []string
	list, err := rows(problems, []Drawn{drawn("nine", 9), drawn("eight", 8)}, .75, func(s string) { notes = append(notes, s) })
	if err != nil || len(list) != 4 || list[2].ID != "eight/3" || list[2].Fields["given 2"] != "1 2" || list[2].Fields["given 3 final"] != "7" {
		t.Errorf("%+v, %v", list, err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "of 2 training problems 1 have less than 0.75 of their proposals right") {
		t.Errorf("%q", notes)
	}
	if _, err := rows(problems[:1], []Drawn{drawn("nine", 9)}, .75, func(string) {}); err == nil || !strings.Contains(err.Error(), "raise team.proposals.most_right") {
		t.Errorf("%v", err)
	}
}
