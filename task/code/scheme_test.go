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
