package ask

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/table"
)

// sentence answers whether the team could do without an agent, by the interval of the difference as it is shown.
func (p *Played) sentence(agent int, name string) string {
	s, w := p.Seats[agent], p.Table.Agents[agent]
	switch {
	case s.Alone == LeftOut && w.LeftOut != nil:
		return "without " + name + ": " + p.compared(w.LeftOut, "without it")
	case s.Alone == Untrained && w.Untrained != nil:
		return fmt.Sprintf("with %s untrained in its place, as %s: %s", name, s.Why, p.compared(w.Untrained, "without its training"))
	case s.Alone == Never:
		return fmt.Sprintf("the team cannot be without %s, as %s, and it is not trained: what it is worth is not known", name, s.Why)
	}
	c, _ := without(agent, s.Alone)
	return fmt.Sprintf("without %s the team could not be measured: %s", name, p.why(c))
}

func (p *Played) compared(l *Lacking, lacks string) string {
	verdict := "no difference is shown"
	if table.LeavesZero(l.CI95) {
		verdict = map[bool]string{true: "the team is better ", false: "the team is worse "}[l.Difference > 0] + lacks
	}
	return fmt.Sprintf("%s %s -> %s (difference %s [%s, %s] over %d problems): %s", p.Measure.Name, table.Number(p.Table.Score), table.Number(l.Score),
		table.Signed(l.Difference), table.Signed(l.CI95[0]), table.Signed(l.CI95[1]), p.Table.Problems, verdict)
}

// notes say of an agent why numbers are not there, and how it was absent.
func (p *Played) notes(agent int, name string) (out []string) {
	s := p.Seats[agent]
	switch {
	case s.Alone == Untrained:
		out = append(out, fmt.Sprintf("%s is not left out, as %s: where it is absent its untrained base speaks in its place", name, s.Why))
	case s.Together == Untrained:
		out = append(out, fmt.Sprintf("in coalitions the untrained base of %s stands for its absence, as %s", name, s.Why))
	case s.Together == Never:
		out = append(out, fmt.Sprintf("%s is in every coalition and has no part in the score, as %s, and it is not trained", name, s.Why))
	}
	if !s.Trained {
		out = append(out, name+" is not trained: nothing stands in its place")
	} else if c, _ := without(agent, Untrained); p.why(c) != "" {
		out = append(out, fmt.Sprintf("with %s untrained the team could not be measured: %s", name, p.why(c)))
	}
	return out
}

// Text is the contribution for a terminal.
func (c *Contribution) Text() string {
	var b strings.Builder
	if c.Score != nil {
		fmt.Fprintf(&b, "%s after update %d: %s %s on %d held-out problems\n", c.Run, c.Update, c.Measure, table.Number(*c.Score), c.Problems)
		for _, a := range c.Agents {
			b.WriteString(a.Sentence + "\n")
		}
		b.WriteString(c.worths().Text())
	}
	b.WriteString(c.recorded().Text())
	notes := slices.Clone(c.Notes)
	for _, a := range c.Agents {
		notes = append(notes, a.Notes...)
	}
	if len(c.Training.Updates) > 0 {
		notes = append(notes, "gradient: "+c.Training.Shares)
	}
	for _, damaged := range c.Training.Damaged {
		notes = append(notes, "left out: "+damaged)
	}
	if len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
	}
	return b.String()
}

// worths is the table of what was played.
func (c *Contribution) worths() *table.Table {
	t := &table.Table{Title: "What each agent is worth", Note: "differences to the team, with their 95 % intervals", Head: []string{"agent", "left out", "95 % interval", "untrained", "95 % interval", "Shapley value", "95 % interval"}}
	if c.Orders > 0 {
		t.Head = append(t.Head, "standard error")
		t.Note += fmt.Sprintf("; Shapley values from %d drawn orders", c.Orders)
	}
	for _, a := range c.Agents {
		row := []string{a.Agent}
		for i, l := range []*Lacking{a.LeftOut, a.Untrained} {
			switch {
			case l == nil:
				row = append(row, "-", "-")
			case i == 0 && l.How == Untrained:
				row = append(row, "as untrained", "-")
			default:
				row = append(row, table.Signed(l.Difference), table.SignedInterval(l.CI95))
			}
		}
		if a.Shapley == nil {
			row = append(row, "-", "-")
		} else {
			row = append(row, table.Signed(*a.Shapley), table.SignedInterval(*a.ShapleyCI95))
		}
		if c.Orders > 0 {
			row = append(row, cell(a.ShapleyError))
		}
		t.Add(row...)
	}
	if c.Nobody != nil {
		t.Note += fmt.Sprintf("; the values add up to %s, the score of the team, less %s, that without all whom it can lack", table.Number(*c.Score), table.Number(*c.Nobody))
	}
	return t
}

func cell(x *float64) string {
	if x == nil {
		return "-"
	}
	return table.Number(*x)
}

// recorded is the table of what training recorded.
func (c *Contribution) recorded() *table.Table {
	t := c.Training
	out := &table.Table{Title: "What training recorded", Head: []string{"agent", "right", "read", "set right", "set wrong", "of readers", "gradient", "loss"}}
	if len(t.Updates) == 0 {
		return out
	}
	out.Note = fmt.Sprintf("means of updates %d to %d", t.From, t.Updates[len(t.Updates)-1])
	for _, a := range c.Agents {
		out.Add(a.Agent, cell(a.ShareRight), cell(a.ShareRead), cell(a.Help), cell(a.Harm), fmt.Sprint(a.Heard), cell(a.Gradient), cell(a.Loss))
	}
	return out
}
