package report

import (
	"cmp"
	"fmt"
	"strings"

	"parley/runs"
)

// dialogues prints the same held-out problems before and after training, or, where nothing was trained, those of the untrained team.
func dialogues(c Context) string {
	var b strings.Builder
	if !c.Trained {
		for _, x := range c.Before {
			fmt.Fprintf(&b, "\n%s", dialogue(x.System, x))
		}
		return b.String()
	}
	for i := range min(len(c.Before), len(c.After)) {
		fmt.Fprintf(&b, "\nHeld-out problem %d, %s%s", i+1, dialogue("before training", c.Before[i]), dialogue("after training", c.After[i]))
	}
	return b.String()
}

// dialogue prints one with an indented block an answer.
func dialogue(title string, x runs.Dialogue) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s\n", title, clip(x.Question, 300))
	for _, l := range x.Lines {
		mark := ""
		if x.Truth != "" {
			mark = map[bool]string{true: "  [right]", false: "  [wrong]"}[l.Correct]
		}
		fmt.Fprintf(&b, "  turn %d, %s%s\n", l.Turn, cmp.Or(l.Name, fmt.Sprintf("agent %d", l.Agent)), mark)
		for _, call := range l.Calls {
			fmt.Fprintf(&b, "    called %s\n", indent(clip(call, 200), "    ")[len("    "):])
		}
		fmt.Fprintf(&b, "%s\n", indent(clip(l.Text, 600), "    "))
	}
	for _, text := range x.Answers {
		fmt.Fprintf(&b, "  the program answers\n%s\n", indent(clip(text, 600), "    "))
	}
	if x.Truth != "" {
		fmt.Fprintf(&b, "  (the answer is %s)\n", x.Truth)
	}
	return b.String()
}

func indent(s, by string) string { return by + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+by) }

// clip shortens long texts at a rune boundary.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + " …"
}
