package answer

import "testing"

func TestSection12Visible(t *testing.T) {
	for _, c := range []struct {
		text string
		want Visible
	}{
		{`2 + 2 makes \boxed{4}.`, "2 + 2 makes 4.\nAnswer: \\boxed{4}"},
		{"First \\boxed{3}, no:\nAnswer: \\boxed{4.0}\n\n", "First 3, no:\nAnswer: 4.0\nAnswer: \\boxed{4}"},
		{`\boxed{1 \boxed{2}}`, "1 2\nAnswer: \\boxed{2}"},
		{`\boxed{\frac{2}{4}} of \boxed{x`, "\\frac{2}{4} of \\boxed{x\nAnswer: \\boxed{1/2}"},
		{`no answer`, `no answer`},
		{`\boxed{who knows}`, `\boxed{who knows}`},
	} {
		final, _ := Math(c.text)
		if got := Show(c.text, final); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
		}
	}
	if got := Show(`It is \boxed{Neutral}`, "neutral"); got != "It is Neutral\nAnswer: \\boxed{neutral}" {
		t.Errorf("label shown as %q", got)
	}
}
