package main

import (
	"testing"

	"parley/model/chat"
	"parley/team"
)

// The corpus is written in the format that the model's chat template gives to a conversation.
func TestRenderIsTheChatTemplate(t *testing.T) {
	template, err := chat.Parse(chatTemplate)
	if err != nil {
		t.Fatal(err)
	}
	said := []team.Message{{Role: team.User, Content: "Question: 1+1?"}, {Role: team.Assistant, Content: "2"}, {Role: team.User, Content: "Sure?"}}
	got, err := template.Text(said, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := render(said).Text() + tokenAssistant; got != want {
		t.Errorf("template: %q\ncorpus:   %q", got, want)
	}
}

// Only what the assistant says is learned.
func TestRenderLearnsTheAssistant(t *testing.T) {
	learned := ""
	for _, s := range render([]team.Message{{Role: team.User, Content: "a"}, {Role: team.Assistant, Content: "b"}}) {
		if s.Learn {
			learned += s.Text
		}
	}
	if want := "b" + tokenEnd; learned != want {
		t.Errorf("learned %q, want %q", learned, want)
	}
}
