package chatsession

import (
	"context"
	"sync"

	"parley/task"
	"parley/team"
)

// begun lets all agents of a turn begin at once. say then waits for the answer of one agent, in any order. wait cancels the agents that are
// still speaking, and waits until all have ended.
func (t *Team) begun(ctx context.Context, problem task.Problem, asks []team.Ask) (inner context.Context, say func(context.Context, task.Problem, team.Ask, func(string) error) (Reply, error), wait func()) {
	inner, cancel := context.WithCancel(ctx)
	speeches := map[int]*speech{} // by agent: a turn asks each at most once
	var all sync.WaitGroup
	for _, ask := range asks {
		s := &speech{news: make(chan struct{}, 1)}
		speeches[ask.Agent] = s
		all.Go(func() {
			reply, err := t.say(inner, problem, ask, s.add)
			s.end(reply, err)
		})
	}
	say = func(_ context.Context, _ task.Problem, ask team.Ask, say func(string) error) (Reply, error) {
		return speeches[ask.Agent].hear(say)
	}
	return inner, say, func() { cancel(); all.Wait() }
}

// A speech is an agent's answer while it is drawn. Its texts are kept until say asks for them.
type speech struct {
	news chan struct{} // has something while there is something to be heard

	mu    sync.Mutex
	texts []string
	ended bool
	reply Reply
	err   error
}

func (s *speech) add(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, text)
	s.wake()
	return nil
}

func (s *speech) end(reply Reply, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.reply, s.err = true, reply, err
	s.wake()
}

func (s *speech) wake() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// hear tells say what is said until the end.
func (s *speech) hear(say func(string) error) (Reply, error) {
	for range s.news {
		s.mu.Lock()
		texts, ended := s.texts, s.ended
		s.texts = nil
		s.mu.Unlock()
		for _, text := range texts {
			if err := say(text); err != nil {
				return Reply{}, err
			}
		}
		if ended {
			break
		}
	}
	return s.reply, s.err
}
