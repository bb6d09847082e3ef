package parity

import (
	"testing"

	"parley/task/tasktest"
)

func TestConformance(t *testing.T) {
	tasktest.Conformance(t, tasktest.Case{Type: Type(), Settings: &Settings{Digits: 2}, Agents: 2, Item: `{"question":"7","truth":"odd"}`, Good: []string{"It is odd."}})
}
