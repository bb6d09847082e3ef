package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/model/chat"
	"parley/model/form"
	"parley/rl/rollout/harness"
	"parley/serve/chatsession"
)

// A Single is one speaker, who answers a conversation as it stands. It is a [Writer] where the speaker is a model.
type Single struct {
	voice    chatsession.Voice
	settings chatsession.Settings
}

// NewSingle makes a speaker one that is served.
func NewSingle(v chatsession.Voice, s chatsession.Settings) Answerer {
	single := Single{v, s}
	if speaker, ok := v.(chatsession.Speaker); ok && speaker.Caller == nil {
		return writer{single, speaker, &formed{}}
	}
	return single
}

// Answer implements [Answerer].
func (v Single) Answer(ctx context.Context, q Question, l Listener) (Answer, error) {
	settings := q.With(v.settings)
	settings.Token, settings.Continue = l.Token, q.Continue
	var err error
	if settings.Tools, err = chat.ToolsOf(q.Tools); err != nil {
		return Answer{}, &QuestionError{err}
	}
	reply, err := v.voice.Say(ctx, q.Messages, settings, l.Say)
	if err != nil && q.field != "" && errors.Is(err, form.ErrAmbiguous) {
		return Answer{}, FailureOf(err).Of(q.field)
	}
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Text: reply.Text, Written: reply.Text, Cut: reply.Stop == engine.StopLength, Drawn: reply.Drawn,
		Usage: Usage{Prompt: reply.Prompt, Drawn: reply.Tokens},
	}, nil
}

type writer struct {
	Single
	speaker chatsession.Speaker
	formed  *formed
}

func (w writer) Speaker() chatsession.Speaker   { return w.speaker }
func (w writer) Settings() chatsession.Settings { return w.settings }

// Answer implements [Answerer]. A conversation that the model's template refuses is the asker's mistake.
func (w writer) Answer(ctx context.Context, q Question, l Listener) (Answer, error) {
	if _, err := w.Prompt(q); err != nil {
		return Answer{}, &QuestionError{err}
	}
	if len(q.Forced) > 0 {
		c := chatsession.CallReader{Forced: q.Forced, Spared: q.Spared, ID: harness.CallID(q.Seed, 0), Tell: l.Call, Say: l.Say}
		l.Say = c.Hear
		a, err := w.Single.Answer(ctx, q, l)
		if err != nil {
			return a, err
		}
		call, text, err := c.Finish()
		if !text {
			a.Text = ""
		}
		if call != nil {
			a.Calls = []chat.Call{*call}
		}
		return a, err
	}
	if len(q.Tools) == 0 || q.With(w.settings).Form != "" {
		return w.Single.Answer(ctx, q, l)
	}
	r, err := newReading(w.speaker.Model, q, q.With(w.settings).Stop, &l)
	if err != nil {
		return Answer{}, &QuestionError{err}
	}
	a, err := w.Single.Answer(ctx, q, l)
	if err == nil {
		err = r.finish(&a, q.Seed)
	}
	return a, err
}

// Prompt implements [Writer].
func (w writer) Prompt(q Question) ([]int, error) {
	d, err := q.dialogue()
	if err != nil {
		return nil, err
	}
	return w.speaker.Model.PromptFor(d)
}

// Fits says why a model cannot read a question. What agents of a team read is known when they read it.
func (q Question) Fits(m *Model) error {
	w, writes := m.Answerer.(Writer)
	if !writes {
		return nil
	}
	prompt, err := w.Prompt(q)
	if err != nil {
		return &QuestionError{err}
	}
	return Fit(w, prompt)
}

// Fit says which prompts are too long for a model.
func Fit(w Writer, prompts ...[]int) error {
	c, says := w.Speaker().Engine.(engine.Contexter)
	if !says {
		return nil
	}
	for _, p := range prompts {
		if err := engine.CheckTokens(p, c.Context(), math.MaxInt); err != nil {
			return fmt.Errorf("prompt: %w", err)
		}
	}
	return nil
}

// without is the log-probability of a token that cannot come.
var without = float32(math.Inf(-1))

// Tops implements [Writer].
func (w writer) Tops(ctx context.Context, prefixes []engine.Prefix, k int, l chatsession.Logits, each func(prefix, i int, d engine.Distribution) error) error {
	asked := k
	if l.Changes() {
		asked = 0
	}
	ask := func(e any) error {
		d, ok := e.(engine.Distributor)
		if !ok {
			return &QuestionError{errors.New("the engine says no distributions: ask for the tokens of the answer alone")}
		}
		return d.Distributions(ctx, prefixes, asked, func(i, length int, d engine.Distribution) error {
			if asked != k {
				d = l.Best(prefixes[i], length, k, d)
			}
			if n := slices.Index(d.Logprobs, without); n >= 0 && d.Tokens != nil { // a form may allow fewer
				d.Tokens, d.Logprobs = d.Tokens[:n], d.Logprobs[:n]
			}
			return each(i, length-prefixes[i].From, d)
		})
	}
	if shared, ok := w.speaker.Engine.(*gather.Batcher); ok {
		return shared.Alone(func(e engine.Continuous) error { return ask(e) })
	}
	return ask(w.speaker.Engine)
}
