package sweet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"parley/engine"
	"parley/rl/learn"
)

// plainly is what the critic reads unless the recipe says another form: the hidden texts, and behind them what the policy reads.
const plainly = "{{range .Hidden}}{{.}}\n{{end}}{{.Prompt}}"

// A view is what the template of the critic shows. The truth of the problem is not among it: a critic reads fields that somebody named.
type view struct {
	Prompt string
	Hidden []string
	Fields map[string]string
	Turn   int
}

// parse reads the template of what the critic reads. A field that a problem lacks is the empty text.
func parse(text string) (*template.Template, error) {
	if text == "" {
		text = plainly
	}
	t, err := template.New("sweet.critic.prompt").Funcs(template.FuncMap{"line": line}).Option("missingkey=zero").Parse(text)
	if err == nil {
		err = t.Execute(new(strings.Builder), view{Fields: map[string]string{}})
	}
	if err != nil {
		return nil, fmt.Errorf("sweet.critic.prompt: %w", err)
	}
	return t, nil
}

// line is the n-th line of a text, from 1; beyond its end it is empty. Hidden fields may have a line for each turn.
func line(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// privileged is a message as the critic reads it: after a prompt whose first user message has the hidden fields in it. Only the prompt differs from what
// the policy read; the tokens of the message are those that were sampled. So log π(a|o, c) and log π(a|o) are about the same tokens.
func (l *learner) privileged(m *message) (*learn.Answer, error) {
	v := view{Fields: map[string]string{}, Turn: m.number}
	for _, name := range l.settings.Critic.Hidden {
		text, there := m.fields[name]
		if !there {
			return nil, fmt.Errorf("sweet.critic.hidden names the field %s, which problem %s does not have", name, m.problem)
		}
		v.Hidden, v.Fields[name] = append(v.Hidden, text), text
	}
	messages := slices.Clone(m.AgentTurn.Messages)
	for i := range messages {
		if messages[i].Role == "user" {
			v.Prompt = messages[i].Content
			var b strings.Builder
			if err := l.prompt.Execute(&b, v); err != nil {
				return nil, fmt.Errorf("what the critic reads: %w", err)
			}
			messages[i].Content = b.String()
			break
		}
	}
	asked := *m.AgentTurn
	asked.Messages = messages
	var err error
	if asked.Prompt, err = l.Actors[asked.Agent].Dialogue(messages, len(m.Completion.Tokens), l.Truncate); err != nil {
		return nil, fmt.Errorf("what the critic reads: %w", err)
	}
	return &learn.Answer{Turn: m.Turn, AgentTurn: &asked, Completion: m.Completion}, nil
}

// read makes the texts that the critic reads of messages, each once.
func (l *learner) read(texts map[*message]*text, messages []*message) error {
	for _, m := range messages {
		if texts[m] == nil {
			a, err := l.privileged(m)
			if err != nil {
				return err
			}
			texts[m] = &text{Answer: a}
		}
	}
	return nil
}

// learnCritic takes the critic's steps on pairs of dialogues. Its reference is the base given the same hidden fields, whatever it is compared with when it
// ranks candidates: at the beginning all advantages are 0.
func (l *learner) learnCritic(ctx context.Context, to learn.PolicyRef, r *record, s *learn.Stats) error {
	texts := map[*message]*text{}
	var pairs []contrast
	for _, c := range l.compared(r.talks) {
		for _, m := range slices.Concat(c[0].messages, c[1].messages) {
			if err := l.read(texts, []*message{m}); err != nil {
				return err
			}
		}
		pairs = append(pairs, contrast{textsOf(texts, c[0].messages), textsOf(texts, c[1].messages)})
	}
	s.CriticPairs += len(pairs)
	critic := l.settings.Critic
	return l.contrast(ctx, to, pairs, course{
		Objective: Objective{Beta: critic.Beta, Reduction: critic.reduction(), NLL: critic.NLL},
		epochs:    critic.Epochs, batch: critic.Batch, rate: critic.Rate, tell: s.AddCriticPass,
	}, s)
}

// advantages are those of messages by their critic: means over tokens of its log-ratios, in the order of the messages. Two passes over them, each in one
// call of the engine:
//
//	log π_θ(a|o, c)        the critic
//	log π_ref(a|o, c)      the base, or, without_c, log π_ref(a|o): what the policy that said it gave its words
//
// A candidate that the critic finds as probable as the base does has the advantage 0.
func (l *learner) advantages(ctx context.Context, critic learn.PolicyRef, messages []*message) ([]float64, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	texts := map[*message]*text{}
	if err := l.read(texts, messages); err != nil {
		return nil, err
	}
	list := textsOf(texts, messages)
	if err := score(ctx, critic.Engine, list, critic.Policy, func(t *text, x []float64) { t.logps = x }); err != nil {
		return nil, err
	}
	against := list // with_c: under the base, but after the same prompt
	if l.settings.Critic.Against == "without_c" {
		against = nil
		for _, m := range messages {
			against = append(against, &text{Answer: m.Answer})
		}
	}
	if err := score(ctx, critic.Engine, against, engine.Base, func(t *text, x []float64) { t.reference = x }); err != nil {
		return nil, err
	}
	d := Dialogue{}
	for i, t := range list {
		d.Logps, d.Reference = append(d.Logps, t.logps), append(d.Reference, against[i].reference)
	}
	return Advantages(d)
}
