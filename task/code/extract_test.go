//go:build sandbox

package code

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/task"
)

// TestExtraction holds the corners of how functions and tests are found (§7.1).
func TestExtraction(t *testing.T) {
	for _, c := range []struct{ name, main, want string }{
		{"the last definition", "def f(a):\n    return 1\ndef f(a):\n    return 2\n", "def f(a):\n    return 2"},
		{"nested functions stay", "x = 1\ndef f(a):\n    def g():\n        return a\n    return g()\nprint(f(1))", "def f(a):\n    def g():\n        return a\n    return g()"},
		{"prose around", "Sure!\ndef f(a):\n    return a\n\nThis works.", "def f(a):\n    return a"},
		{"broken", "def f(a):\n    return a +\n\ndef g(a):\n    return 1", "def f(a):\n    return a +"},
		{"another name that begins so", "def ff(a):\n    return 1", ""},
		{"separators inside a string", "def f(a):\r\n    return 'a\fb\u2028c'\r\n", "def f(a):\n    return 'a\fb\u2028c'"},
		{"nothing", "\x00def", ""},
		{"a signature over lines in a fence", "Sure:\n```python\ndef f(\n    a,\n    b,\n):\n    return a + b\n```\nDone, as asked.", "def f(\n    a,\n    b,\n):\n    return a + b"},
		{"a signature over lines among prose", "Sure, so:\ndef f(\n    a,\n):\n    return a\nIt works.", "def f(\n    a,\n):\n    return a"},
		{"a comment in column 0", "So it is:\ndef f(a):\n    x = a\n# the result\n    return x\nIt works.", "def f(a):\n    x = a\n# the result\n    return x"},
		{"a docstring in column 0", "So it is:\n```\ndef f(a):\n    '''Doc.\nmore of it\n'''\n    return a\n```\nIt works.", "def f(a):\n    '''Doc.\nmore of it\n'''\n    return a"},
		{"a fence inside a docstring", "So it is:\n```\ndef f(a):\n    '''Try\n    ```\n    f(1)\n    ```\n    '''\n    return a\n```\nIt works.", "def f(a):\n    '''Try\n    ```\n    f(1)\n    ```\n    '''\n    return a"},
		{"a fence inside a string of bare code", "def f(a):\n    return '''\n```\n'''\n", "def f(a):\n    return '''\n```\n'''"},
		{"a fence in a list", "1. So:\n   ```python\n   def f(a):\n       return a\n   ```\n2. It works.", "def f(a):\n    return a"},
		{"several fences", "```python\ndef f(a):\n    return 1\n```\nBetter is\n```python\ndef f(a):\n    return 2\n```\nUse it so:\n```\nf(1)\n```", "def f(a):\n    return 2"},
		{"a fence that ends a line", "Here: ```python\ndef f(a):\n    return a```", "def f(a):\n    return a"},
		{"a closing fence alone", "def f(a):\n    return a\n```\nThis explains it.", "def f(a):\n    return a"},
		{"prose that begins like a definition", "def f is what we need:\n```\ndef f(a):\n    return a\n```\ndef f(a) is done.", "def f(a):\n    return a"},
		{"broken, over lines", "def f(\n    a,\n):\n    return a +\n\ndef g(a):\n    return 1", "def f(\n    a,\n):\n    return a +"},
		{"a decorator", "So it is:\n@cache\ndef f(a):\n    return a\nIt works.", "def f(a):\n    return a"},
	} {
		e, err := sandboxes(t).Analyze(t.Context(), Submission{Entry: "f", Main: c.main})
		if err != nil || e.Main != c.want {
			t.Errorf("%s: %q, want %q, %v", c.name, e.Main, c.want, err)
		}
	}
	e, err := sandboxes(t).Analyze(t.Context(), Submission{
		Entry: "f", Main: "def f(a):\n    return 1", Prompt: "import math\nimport math\ndef h(x):\n    return x\ndef f(a):\n    pass\n",
		Tests: "import random\nM = {'x': 1}\ndef check(c):\n    a = c(1)\n    assert a == 1\n    assert True\n    a = c(2)\n    assert a == 1\n    assert c(3) == 1\n    assert c(3) == 1\n    for i in range(2):\n        assert c(i) == 1\ncheck(f)",
	})
	if err != nil || e.Prelude != "import math\ndef h(x):\n    return x" || e.Candidate != "c" || len(e.Tests) != 4 {
		t.Errorf("%+v, %v", e, err)
	}
}

// drawFunction draws a function f in the ways that defeat rules on lines.
func drawFunction(t *rapid.T) string {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	return pick("head", "def f(a, b):\n", "def f(\n    a,\n    b,\n):\n", "def f(a,\n      b) -> int:\n", "async def f(a, b=(1,\n2)):\n") +
		pick("docstring", "", "    '''Doc.'''\n", "    \"\"\"Doc\nin column 0:\n\"\"\"\n", "    \"\"\"Try\n    ```python\n    f(1)\n    ```\n    \"\"\"\n", "    '''\n```\nf(1)\n```\n'''\n") +
		pick("comment", "", "# in column 0\n", "    # indented\n\n", "    # ``` in a comment\n") +
		pick("body", "    x = a\n", "    x = [\na,\nb]\n", "    def g():\n        return a\n\n    x = g()\n", "    x = '''\ndef f(a): pass\n'''\n", "    if a:\n        x = 1\n    else:\n        x = \"```\"\n") +
		"    return x"
}

// TestExtractionFromAnySurroundings: whatever prose and fences stand around a function, it is found whole.
func TestExtractionFromAnySurroundings(t *testing.T) {
	box := sandboxes(t)
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, name) }
		function := drawFunction(rt)
		opening := pick("opening", "", "```python\n", "```\n", "Code: ```py\n", "~~~python\n", "````python\n")
		closing := map[string]string{"": "", "~~~python\n": "\n~~~", "````python\n": "\n````"}
		end, other := closing[opening]
		if !other {
			end = "\n```"
		}
		before := pick("before", "", "Sure, here it is:\n", "I think that f(a) does it.\n\n", "First a helper:\n```python\ndef h(x):\n    return x\n```\nNow f.\n")
		after := pick("after", "", "\n", "\n\nThis works, as asked.", "\nUse it so:\n```python\nprint(f(1, 2))\n```\n", "\n\nIt's O(n), I'd say.")
		text := before + opening + function + end + after
		e, err := box.Analyze(t.Context(), Submission{Entry: "f", Main: text})
		if err != nil || e.Main != function {
			rt.Fatalf("%q\ngives %q,\nwant  %q, %v", text, e.Main, function, err)
		}
	})
}

// FuzzExtraction: any response can be taken apart, and what is found is a definition.
func FuzzExtraction(f *testing.F) {
	for _, text := range []string{"```\ndef f(:\n```", "def f(a):\n    '''\n```\n", "~~~\ndef f(a): pass\n~~~ ```", "@\ndef f(\n", "\x00```def f(a): return 1```", strings.Repeat("```\ndef f(a):\n (\n", 50)} {
		f.Add(text)
	}
	box, err := sharedLab()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := box.Analyze(t.Context(), Submission{Entry: "f", Aux: text, Main: text})
		if err != nil {
			t.Fatal(err)
		}
		if e.Candidate == "" || e.Main != "" && !strings.HasPrefix(e.Main, "def") && !strings.HasPrefix(e.Main, "async") {
			t.Errorf("%q gives %+v", text, e)
		}
	})
}

// TestExtractionIsBounded: responses that are made to be parsed again and again are taken apart like others.
func TestExtractionIsBounded(t *testing.T) {
	for _, piece := range []string{"def f(a:\n", "def f(a):\n    return a +\n", "```\n", "```python\ndef f(a):\n    return a +\n```\n", "\"\"\"\n", "def f(a):\n    return 1\nprose here\n"} {
		e, err := sandboxes(t).Analyze(t.Context(), Submission{Entry: "f", Main: strings.Repeat(piece, 100_000/len(piece))})
		if err != nil || e.Candidate == "" {
			t.Errorf("%q over and over is not taken apart: %+v, %v", piece, e.Scheme, err)
		}
	}
}

// TestRewardOfResponses holds what whole responses earn.
func TestRewardOfResponses(t *testing.T) {
	const wide = "def aux(a, b):\n    return a * a + b * b"
	const alone = "def f(a, b):\n    return a * a + b * b"
	for _, c := range []struct {
		name, aux, main string
		variant         task.RewardVariant
		want            float64
	}{
		{"a signature over lines", square, "Sure!\n```python\ndef f(\n    a,\n    b,\n):\n    p = aux(a)\n    return p + aux(b)\n```\n", task.Standard, 4},
		{"a comment in column 0", square, "Sure!\n```python\ndef f(a, b):\n    p = aux(a)\n# then b\n    return p + aux(b)\n```\n", task.Standard, 4},
		{"a docstring in column 0", square, "Sure!\n```python\ndef f(a, b):\n    '''Sum\nof squares.'''\n    p = aux(a)\n    return p + aux(b)\n```\n", task.Standard, 4},
		{"a fence in a docstring", square, "Sure!\n```python\ndef f(a, b):\n    '''\n    ```\n    f(1, 2)\n    ```\n    '''\n    p = aux(a)\n    return p + aux(b)\n```\n", task.Standard, 4},
		{"a hidden wrapper", wide, "def f(a, b):\n    \"\"\"Sum of squares.\"\"\"\n    # aux does it\n\n    return aux(a, b)", task.Compat, 3},
		{"a wrapper behind a long docstring", wide, "def f(a, b):\n    '''Sum\n\n    of squares.\n    '''\n    r = aux(a, b)  # all of it\n    # done\n    return r  # so", task.Compat, 3},
		{"a text that is a value", wide, "def f(a, b):\n    s = 'x'\n    r = aux(a, b)\n    return r", task.Compat, 4},
		{"return in a comment of aux", "def aux(x):\n    # return nothing\n    pass", alone, task.Compat, 2.5},
		{"return in the docstring of aux", "def aux(x):\n    '''return nothing'''", alone, task.Compat, 2.5},
		{"no return at all", "def aux(x):\n    returned = x", alone, task.Compat, 2.1},
		{"return in a comment, by syntax", "def aux(x):\n    # return nothing\n    pass", alone, task.Standard, 2.1},
	} {
		r, err := Scorer{Sandboxes: sandboxes(t), Variant: c.variant, PerTest: time.Minute}.Score(t.Context(), Submission{Entry: "f", Prompt: gamedPrompt, Tests: squares, Aux: c.aux, Main: c.main})
		if err != nil || r.Reward() != c.want {
			t.Errorf("%s earns %v by the %s reward, want %v: %+v, %v", c.name, r.Reward(), c.variant, c.want, r, err)
		}
	}
}
