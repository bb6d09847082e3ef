//go:build sandbox

package code

import "testing"

// TestSchemes holds the corners of §14's rules that the vectors leave out.
func TestSchemes(t *testing.T) {
	for _, c := range []struct {
		name, main string
		want       Scheme
	}{
		{"missing", "def g(a):\n    return 1", Invalid},
		{"rebound by a parameter", "def f(aux):\n    return aux(1) + 1", None},
		{"rebound by a pattern", "def f(a):\n    match a:\n        case [_, *aux]:\n            return aux(1)\n        case {'b': 1, **aux}:\n            return aux(1)\n    return a", None},
		{"named in a string", "def f(a):\n    s = 'aux(a)'\n    return s", None},
		{"bound and never read", "def f(a):\n    x = aux(a)\n    return a", Ignored},
		{"one of two dropped", "def f(a):\n    aux(a)\n    y = aux(a + 1)\n    return y + 1", Decorator},
		{"documented wrapper", "def f(a):\n    '''Doc.'''\n    v = aux(a)\n    return v", Wrapper},
		{"handler that raises again", "def f(a):\n    try:\n        v = aux(a)\n    except ValueError:\n        raise\n    return v + 1", Decorator},
		{"call in the handler", "def f(a):\n    try:\n        v = a[0]\n    except IndexError:\n        v = aux(a)\n    return v", Decorator},
		{"truth test, then value", "def f(a):\n    v = aux(a)\n    if not v:\n        return 0\n    return v + 1", Fallback},
		{"conditional expression", "def f(a):\n    v = aux(a)\n    w = v if v else a\n    return w", Fallback},
		{"comparison with a number", "def f(a):\n    v = aux(a)\n    if v > 3:\n        return 0\n    return v", Decorator},
		{"only branches", "def f(a):\n    v = aux(a)\n    if v > 3:\n        return 0\n    return a", StrategyFilter},
		{"first argument of filter", "def f(a):\n    b = list(filter(aux, a))\n    return b", StrategyFilter},
		{"walrus", "def f(a):\n    if (v := aux(a)) is None:\n        return 0\n    return v + 1", Fallback},
		{"iterable of a loop", "def f(a):\n    n = 0\n    for x in aux(a):\n        n += x\n    return n", Decorator},
		{"loop condition", "def f(a):\n    n = 0\n    while aux(n) + n < a:\n        n += 1\n    return n", StrategyFilter},
		{"comprehension", "def f(a):\n    b = [aux(x) for x in a]\n    return b", Coordinator},
		{"passed on", "def f(a):\n    b = sorted(a, key=aux)\n    return b", Coordinator},
	} {
		e, err := sandboxes(t).Analyze(t.Context(), Submission{Entry: "f", Aux: square, Main: c.main})
		if err != nil {
			t.Fatal(err)
		}
		if e.Scheme != c.want {
			t.Errorf("%s: %s, want %s", c.name, e.Scheme, c.want)
		}
	}
}

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
