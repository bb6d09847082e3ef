package model

import (
	"strings"
	"testing"

	"parley/model/chat"
	"parley/model/chat/jinja"
)

func TestMask(t *testing.T) {
	m, err := Open(Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	in := chat.Input{Messages: []chat.Message{
		jinja.NewObject("role", "user", "content", "What is 2 + 3? ü"),
		jinja.NewObject("role", "assistant", "content", "2+3=5 é"), jinja.NewObject("role", "user", "content", "Sure?"),
		jinja.NewObject("role", "assistant", "content", "Yes"),
	}}
	ids, mask, err := m.Mask(in)
	if err != nil || len(mask) != len(ids) {
		t.Fatalf("%d ids, %d marks, %v", len(ids), len(mask), err)
	}
	var wrote []int
	for i, id := range ids {
		if mask[i] {
			wrote = append(wrote, id)
		}
	}
	got := m.Tokenizer.Decode(wrote, true)
	if !strings.HasPrefix(got, "2+3=5 é") || !strings.Contains(got, "Yes") || strings.Contains(got, "Sure") || strings.Contains(got, "What") {
		t.Errorf("the assistant wrote %q", got)
	}
	if err := m.CheckPrefix(); err != nil {
		t.Error(err)
	}
}
