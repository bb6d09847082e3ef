package task

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestKey(t *testing.T) {
	one := Key("How many  apples\nhas Tom?")
	for _, same := range []string{"how many apples has Tom", " How many apples has tom ? "} {
		if Key(same) != one {
			t.Errorf("%q has another key", same)
		}
	}
	tom := Key(`Is Zoë's "café" - no`)
	for _, same := range []string{
		"Is Zoe\u0308\u2019s \u201ccafe\u0301\u201d \u2013 no?", "is zo\u200bë's \u00abcafé\u00bb \u2212 no.", "\ufeffIs\u00a0Zoë\u02bcs \"\uff43afé\" \u2014 no\u00ad", "IS ZOË\u2032S \"CAFÉ\" - NO!",
		"Is Zoë\u00b4s \"café\" \u2010 no\u2028",
	} {
		if Key(same) != tom {
			t.Errorf("%q has another key: %q", same, Normal(same))
		}
	}
	for _, other := range []string{"How many apples has Tim?", "3 - 4", "3 + 4", "Is Zoe's \"café\" - no", ""} {
		if Key(other) == one {
			t.Errorf("%q has the same key", other)
		}
	}
	if Key("3 - 4") == Key("3 + 4") {
		t.Error("signs make no difference")
	}
}

// TestNormalIsStable: what is normal stays so, however the text was composed, and whatever invisible characters were strewn in.
func TestNormalIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		normal := Normal(text)
		if again := Normal(normal); again != normal {
			t.Fatalf("%q is %q, and that is %q", text, normal, again)
		}
		var strewn strings.Builder
		for _, c := range text {
			strewn.WriteString("\u200b")
			strewn.WriteRune(c)
		}
		for _, other := range []string{norm.NFC.String(text), norm.NFD.String(text), strewn.String(), " " + text + "\u200d\n"} {
			if got := Normal(other); got != normal {
				t.Fatalf("%q is %q, %q is %q", text, normal, other, got)
			}
		}
	})
}

// TestNormalASCII: the short way gives what the long one does.
func TestNormalASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.ByteRange(0, 0x7f)).Draw(t, "text"))
		if short, long := normalASCII(text), normalAny(text); short != long {
			t.Fatalf("%q: %q and %q", text, short, long)
		}
	})
}
