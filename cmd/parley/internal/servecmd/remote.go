package servecmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/serve/chatsession"
	"parley/team"
)

// checkURL refuses flags that are of no use with --url, and no target without it.
func (c *Chat) checkURL() error {
	switch {
	case c.URL == "" && c.Target == "":
		return cli.Usagef("name a run, a recipe or a model, or a server with --url")
	case c.URL != "" && (c.Agent != "" || c.Adapter != "" || c.DType != "f32" || !c.Now.IsZero() || c.Trust):
		return cli.Usagef("--agent, --adapter, --dtype, --now and --trust are for what is on this machine, and --url asks a server; it serves an agent as RUN/agent-NAME")
	}
	return nil
}

// enterServer finds out what the server serves.
func (c *Chat) enterServer(a *cli.App, r *chatRoom) error {
	server, err := newServer(c.URL, os.Getenv("PARLEY_TOKEN"))
	if err != nil {
		return cli.Usagef("--url: %v", err)
	}
	names, err := server.Models(a.Ctx)
	if err != nil {
		return err
	}
	name := c.Target
	switch {
	case name == "" && len(names) == 0:
		return fmt.Errorf("%s serves nothing", c.URL)
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return cli.Usagef("%s serves no %q; it serves %s", c.URL, name, strings.Join(names, ", "))
	}
	r.close = func() {}
	v := &served{server: server, name: name, cmd: c, room: r}
	r.speakTo(v, chatsession.Settings{Sampling: engine.Sampling{}})
	r.title = name + " at " + c.URL
	return nil
}

// served is a [chatsession.Voice] of a server. What a team says in its turns is printed, but is no part of the
// conversation.
type served struct {
	server *server
	name   string
	cmd    *Chat
	room   *chatRoom
}

// Say implements [chatsession.Voice].
func (v *served) Say(ctx context.Context, dialogue []team.Message, s chatsession.Settings, say func(text string) error) (chatsession.Reply, error) {
	messages := make([]message, len(dialogue))
	for i, m := range dialogue {
		messages[i] = message{Role: string(m.Role), Content: m.Content}
	}
	seed := int64(s.Seed >> 1) // a number that every server takes
	thought := false
	reply, err := v.server.Chat(ctx, Request{
		Model: v.name, Messages: messages, Temperature: v.cmd.Temperature, MaxTokens: v.cmd.MaxNew, Stop: v.cmd.Stop, Seed: &seed,
	}, listener{
		Reason: func(text string) error { thought = true; return v.room.PrintText(text) },
		Say: func(text string) error {
			if thought {
				thought = false
				if err := v.room.Printf("\n\nthe team: "); err != nil {
					return err
				}
			}
			return say(text)
		},
	})
	out := chatsession.Reply{Text: reply.Text, Tokens: reply.Tokens, Stop: engine.StopEOS}
	if reply.Cut {
		out.Stop = engine.StopLength
	}
	return out, err
}
