package servecmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/serve/chatsession"
)

// A chatRoom is a conversation and what the user says in it.
type chatRoom struct {
	*cli.App
	cmd   *Chat
	title string                    // who answers
	team  *chatsession.Loaded       // nil: a model
	alone *chatsession.Conversation // with a model or one agent; nil: with the whole team
	close func()
	rate  bool // tell after every answer how fast it came
}

var errLeft = errors.New("left")

const chatHelp = `/reset        forget the conversation
/agent N [T]  talk to agent N of the team alone, by number or name, as it is in turn T (1)
/team         talk to the whole team again
/help         this list
/quit         leave; so do ^C and ^D at the prompt
`

// hear takes one line: a command or a question. [errLeft] ends the conversation.
func (r *chatRoom) hear(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	words := strings.Fields(line)
	switch {
	case line == "":
		return nil
	case line[0] != '/':
		return r.ask(ctx, line)
	case words[0] == "/quit" || words[0] == "/exit":
		return errLeft
	case words[0] == "/help":
		return r.Printf("%s", chatHelp)
	case words[0] == "/reset":
		return r.reset()
	case words[0] == "/team":
		return r.moved(r.toTeam())
	case words[0] == "/agent":
		return r.moved(r.toAgentNamed(words[1:]))
	}
	return r.Printf("there is no command %s; /help lists those there are\n", strconv.Quote(words[0]))
}

func (r *chatRoom) reset() error {
	if r.alone != nil {
		r.alone.Reset()
	}
	return nil
}

// moved tells who answers from now on, or why nothing changed.
func (r *chatRoom) moved(err error) error {
	if err != nil {
		return r.Printf("%v\n", err)
	}
	return r.Printf("now talking to %s\n", r.title)
}

func (r *chatRoom) toTeam() error {
	if r.team == nil {
		return errors.New("this is a model, not a team")
	}
	if err := r.team.Free(); err != nil {
		return fmt.Errorf("%w: talk to one of its agents with --agent N or /agent N", err)
	}
	r.alone = nil
	r.title = fmt.Sprintf("the team: %s, %s", cli.Plural(r.team.Protocol.Agents(), "agent"), cli.Plural(r.team.Protocol.Turns(), "turn"))
	return nil
}

func (r *chatRoom) toAgentNamed(words []string) error {
	if len(words) == 0 || len(words) > 2 {
		return errors.New("write /agent N, or /agent N T for its turn T")
	}
	if r.team == nil {
		return errors.New("this is a model, not a team: it has no agents")
	}
	agent, err := r.team.Numbered(words[0])
	if err != nil {
		return err
	}
	turn := 1
	if len(words) > 1 {
		if turn, err = strconv.Atoi(words[1]); err != nil {
			return fmt.Errorf("%q is no number: write /agent N, or /agent N T for its turn T", words[1])
		}
	}
	return r.toAgent(agent, turn)
}

// toAgent begins a conversation with one agent, from 0, as it is in a turn, from 1.
func (r *chatRoom) toAgent(agent, turn int) error {
	if n := r.team.Protocol.Turns(); turn < 1 || turn > n {
		return fmt.Errorf("there is no turn %d; the team has %s", turn, cli.Plural(n, "turn"))
	}
	r.alone = &chatsession.Conversation{Speaker: r.team.Speaker(turn-1, agent), Settings: r.team.SettingsOf(agent), System: r.cmd.System}
	r.title = fmt.Sprintf("%s as in turn %d", r.team.Called(agent), turn)
	return nil
}

// speakTo begins a conversation with one speaker.
func (r *chatRoom) speakTo(v chatsession.Voice, s chatsession.Settings) {
	r.alone = &chatsession.Conversation{Speaker: v, Settings: r.cmd.settings(s), System: r.cmd.System}
}

// ask passes a question on and prints what is answered, as it comes.
func (r *chatRoom) ask(ctx context.Context, question string) error {
	begun := time.Now()
	tokens := 0
	end := func(reply chatsession.Reply) error { tokens += reply.Tokens; return r.Printf("\n%s", reply.Beside) }
	var err error
	if r.alone != nil {
		var reply chatsession.Reply
		if reply, err = r.alone.Ask(ctx, question, r.PrintText); err == nil {
			err = end(reply)
		}
	} else {
		err = r.team.Ask(ctx, question, chatsession.Listener{Say: r.PrintText, End: end, Begin: func(turn, agent int) error {
			return r.Printf("turn %d, %s: ", turn+1, r.team.Called(agent))
		}, Answer: func(texts []string) error {
			if len(texts) > 1 { // a joint answer: everybody's last words, which stand above
				return nil
			}
			return r.Printf("the team: %s\n", strings.TrimSpace(strings.Join(texts, "\n")))
		}})
	}
	if err == nil && r.rate {
		return r.Printf("(%s, %.1f tokens/s)\n", cli.Plural(tokens, "token"), float64(tokens)/time.Since(begun).Seconds())
	}
	return err
}

// lines answers lines of stdin until it ends.
func (r *chatRoom) lines() error {
	err := r.HearLines(func(line string) error { return r.hear(r.Ctx, line) })
	if err == errLeft {
		return nil
	}
	return err
}
