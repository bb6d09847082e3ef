package relay

import (
	"testing"

	"parley/team"
	"parley/team/teamtest"
)

func TestProtocol(t *testing.T) {
	p, err := Kind().Open(team.Settings{Agents: 2, Turns: 3, Prompts: team.Prompts{First: "{{.Question}}"}})
	if err != nil {
		t.Fatal(err)
	}
	teamtest.Run(t, p)
}
