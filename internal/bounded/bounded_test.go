package bounded

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var tested = Limits{Steps: 1_000_000, Bytes: 64 << 20, Time: 10 * time.Second}

func modules() starlark.StringDict {
	return starlark.StringDict{"json": starjson.Module, "math": starmath.Module}
}

// TestHostile: texts that take few steps and would take gigabytes or hours end at once, with an error that says the line and what is
// bounded.
func TestHostile(t *testing.T) {
	doubled := "x = [1]\nfor i in range(60):\n    x = [x, x]\n"
	pairs := "x = (1,)\nfor i in range(60):\n    x = (x, x)\n"
	long := "s = 'x' * (1 << 20)\n"
	for name, c := range map[string]struct {
		text string
		line int // 0: at the end, when what it gives is frozen
	}{
		"repeated":              {"x = 'x' * 1000000000000", 1},
		"repeated, a number":    {"x = 'x' * (1 << 200)", 1},
		"repeated, from left":   {"x = 1000000000 * 'x'", 1},
		"doubling a text":       {"s = 'x'\nfor i in range(40):\n    s = s + s", 3},
		"doubling in place":     {"s = 'x'\nfor i in range(40):\n    s += s", 3},
		"doubling an entry":     {"d = {'s': 'x'}\nfor i in range(40):\n    d['s'] += d['s']", 3},
		"doubling a list":       {"l = [1]\nfor i in range(40):\n    l = l + l", 3},
		"doubling, extend":      {"l = [1]\nfor i in range(40):\n    l.extend(list(l))", 3},
		"doubling, in place":    {"l = [1]\nfor i in range(40):\n    l += list(l)", 3},
		"a list repeated":       {"l = [0] * (1 << 29)", 1},
		"a tuple repeated":      {"l = (0,) * (1 << 29)", 1},
		"lists of lists":        {long + "l = []\nfor i in range(100000):\n    l.append(s + 'x')", 4},
		"comprehension":         {long + "l = [s + str(i) for i in range(100000)]", 2},
		"dict growth":           {long + "d = {}\nfor i in range(100000):\n    d[s + str(i)] = i", 4},
		"dict union":            {"d = {i: i for i in range(10000)}\nl = []\nfor i in range(20000):\n    l.append(d | {i: 0})", 4},
		"sets":                  {"d = set(range(10000))\nl = []\nfor i in range(20000):\n    l.append(d | set([i]))", 4},
		"list of a range":       {"l = list(range(1 << 40))", 1},
		"tuple of a range":      {"l = tuple(range(1 << 40))", 1},
		"set of a range":        {"l = set(range(1 << 40))", 1},
		"order of a range":      {"l = sorted(range(1 << 40))", 1},
		"most of a range":       {"l = max(range(1 << 40))", 1},
		"all of a range":        {"l = all(range(1, 1 << 40))", 1},
		"pairs of a range":      {"l = list(zip(range(1 << 40), range(1 << 40)))", 1},
		"numbered":              {"l = enumerate(range(1 << 40))", 1},
		"bytes of a range":      {"l = bytes(range(1 << 40))", 1},
		"a range handed over":   {"def f(*a): return len(a)\nx = f(*range(1 << 40))", 2},
		"a range added":         {"l = []\nl += range(1 << 40)", 2},
		"a range extended by":   {"l = []\nl.extend(range(1 << 40))", 2},
		"a range by its name":   {"l = []\ngetattr(l, 'extend')(range(1 << 40))", 2},
		"join":                  {long + "x = s.join(['a'] * 10000)", 2},
		"join of the same":      {long + "x = ''.join([s] * 10000)", 2},
		"join as a key":         {long + "x = sorted([[s] * 10000], key=''.join)", 2},
		"replace":               {long + "x = s.replace('x', s)", 2},
		"replace nothing":       {long + "x = s.replace('', s)", 2},
		"format":                {long + "x = ('{0}' * 10000).format(s)", 2},
		"percent":               {long + "x = ('%(s)s' * 10000) % {'s': s}", 2},
		"percent in order":      {long + "x = ('%s' * 100) % tuple([s] * 100)", 2},
		"split":                 {"s = 'x' * (1 << 25)\nx = s.split('x')", 2},
		"letters":               {"s = 'x' * (1 << 25)\nx = list(s.elems())", 2},
		"slices":                {"l = [0] * 100000\nx = [l[1:] for i in range(100000)]", 2},
		"text of a graph":       {doubled + "s = str(x)", 4},
		"graph in a message":    {doubled + "fail(x)", 4},
		"print of a graph":      {doubled + "print(x)", 4},
		"json of a graph":       {doubled + "s = json.encode(x)", 4},
		"json indented":         {"s = json.indent('[' * 5000 + ']' * 5000, indent=' ' * 100000)", 1},
		"percent of a graph":    {doubled + "s = '%s' % [x]", 4},
		"graphs compared":       {doubled + "y = [1]\nfor i in range(60):\n    y = [y, y]\ns = x == y", 7},
		"graphs searched":       {doubled + "s = 1 in [[x]]", 4},
		"graph as a key":        {pairs + "d = {}\nd[x] = 1", 5},
		"graph as a key, at":    {pairs + "d = {x: 1}", 4},
		"graph in a set":        {pairs + "d = set([x])", 4},
		"graph gotten":          {pairs + "d = {}.get(x)", 4},
		"graph frozen":          {pairs, 0},
		"graph frozen, handed":  {"def f(*a): return a\nx = 1\nfor i in range(60):\n    x = f(x, x)", 0},
		"graph frozen, closure": {pairs + "def f():\n    y = x\n    def g(): return y\n    return g\nz = f()\nx = z", 0},
		"deep":                  {"x = []\nfor i in range(100000):\n    x = [x]\ns = str(x)", 4},
		"deep, frozen":          {"x = []\nfor i in range(100000):\n    x = [x]", 0},
		"json, deep":            {"x = json.decode('[' * 40000)", 1},
		"keys with one hash":    {"x = dict([(i << 32, 0) for i in range(30000)])", 1},
		"set of one hash":       {"x = set(range(0, 30000 << 32, 1 << 32))", 1},
		"within itself":         {"x = []\nx.append(x)\ns = str(x)", 3},
		"squares":               {"x = 3\nfor i in range(60):\n    x = x * x", 3},
		"squares in place":      {"x = 3\nfor i in range(60):\n    x *= x", 3},
		"a number read":         {"x = int('9' * (1 << 22))", 1},
		"first of a list":       {"l = list(range(100000))\nfor i in range(100000):\n    l.insert(0, 1)", 3},
		"long keys":             {"s = 'x' * (1 << 24)\nd = {}\nfor i in range(100000):\n    d[s] = i", 4},
		"comparisons":           {"s = 'x' * (1 << 24)\nr = 'x' * (1 << 24)\nx = [s == r for i in range(100000)]", 3},
	} {
		before := allocated()
		text, place := function(c.text, "None"), fmt.Sprintf("line %d: it works on", c.line+1)
		if c.line == 0 {
			text, place = function(c.text, "x"), "x: it works on"
		}
		_, err := Exec(tested.Thread("t"), "t.star", text, modules())
		var out *Exhausted
		if !errors.As(err, &out) || !strings.HasPrefix(Plainly(err).Error(), place) {
			t.Errorf("%s: %v, expected %q", name, Plainly(err), place)
		}
		if made := allocated() - before; made > 400<<20 {
			t.Errorf("%s made %d MiB", name, made>>20)
		}
	}
}

// function is a text within a function, where names may be given anew.
func function(text, gives string) string {
	return "def run():\n    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n    return " + gives + "\nx = run()\n"
}

// allocated are the bytes that have ever been allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestDeepTexts: texts whose parts hold each other as deep as a text may be long are read, or refused.
func TestDeepTexts(t *testing.T) {
	for _, part := range []string{"(", "[", "-", "not ", "lambda: ", "1 if 1 else ", "x.y(", "{1:"} {
		_, err := Exec(tested.Thread("t"), "t.star", "x = "+strings.Repeat(part, (mostText-5)/len(part)), modules())
		if err == nil {
			t.Errorf("%q without an end is read", part)
		}
	}
	if _, err := Exec(tested.Thread("t"), "t.star", strings.Repeat(" ", mostText+1), nil); err == nil || CheckExpression("t.star", strings.Repeat("1", mostText+1)) == nil {
		t.Error("a text that is too long is read")
	}
}

// same are texts that give the same with guards and without.
var same = []string{
	"x = 1 + 2 * 3 - 4 // 5 % 6", "x = 7 / 2", "x = (1 << 70) | 5 & 3 ^ 9 >> 1", "x = 'a' + 'b' * 3", "x = 3 * [1, 2] + [3]", "x = (1,) + (2,) * 2",
	"x = 'a' in 'bab' and 1 not in [2] or 3 in {3: 4}", "x = [1 < 2, 1 <= 2, 1 > 2, 1 >= 2, 1 == 2, 1 != 2, 'a' < 'b', [1] == [1], (1, 2) < (1, 3)]",
	"x = '%s and %d, %r' % ('a', 3, [1, 'b'])", "x = '%(a)s%(b)s' % {'a': 1, 'b': 'c'}", "x = '{} {b} {}'.format(1, 2, b=3)",
	"x = {1: 2} | {3: 4}", "x = set([1, 2]) | set([3])", "x = set([1, 2]) - set([2])",
	"x = [1]\ny = x\nx += [2]\nx += (3,)", "x = {'a': 1}\ny = x\nx |= {'b': 2}", "x = (1,)\nx += (2,)", "x = 5\nx -= 1\nx *= 3\nx //= 2\nx %= 4\nx <<= 3\nx >>= 1\nx |= 1\nx &= 7\nx ^= 2",
	"x = {'a': [1]}\nx['a'] += [2]\nx['b'] = x['a']\nx['b'] += [3]", "x = [1, 2, 3]\nx[0] += 5\nx[-1] *= 2", "x = [[1], [2]]\nx[1][0] -= 3",
	"def f():\n    x[0] = 10\n    return 1\nx = [1]\nx[0] += f()", "x = 'hello'[1:3] + 'hello'[::-1] + 'hello'[-1]", "x = [1, 2, 3, 4][1:-1]\ny = [1, 2, 3, 4][::2]",
	"def f(a, b=1 + 1, *c, **d): return [a, b, c, sorted(d.items())]\nx = f(1, *[2, 3], k=4, **{'l': 5})", "x = (lambda a, b=2 * 3: a + b)(1)",
	"x = [a * b for a, b in [(1, 2), (3, 4)] if a + b > 3]", "x = {k: v + 1 for k, v in {'a': 1}.items()}", "x, (y, z) = 1, (2, 3)", "x = [0, 0]\nx[0], x[1] = 1, 2",
	"x = 'a,b,,c'.split(',') + ' a  b '.split() + 'a\\nb'.splitlines()", "x = ','.join(['a', 'b'])", "x = 'banana'.replace('an', 'x', 1)", "x = 'ABC'.lower().upper().title().strip('A')",
	"x = sorted([3, 1, 2], key=lambda v: -v, reverse=True)", "x = max([1, 5, 3]) + min(4, 2)", "x = list(zip([1, 2], 'ab'.elems()))", "x = enumerate(['a'], 1)", "x = list(reversed(range(3)))",
	"x = [any([0, 1]), all([0, 1]), len('abc'), str([1, 'a']), repr('a'), int('12'), int('ff', 16), float('1.5'), bool([]), type(1), hash('a')]",
	"x = json.decode(json.encode({'a': [1, None, True, 'b']}))", "x = math.floor(2.5) + math.pi", "x = getattr('a', 'upper')()", "x = getattr('a', 'none', 7)", "x = hasattr([], 'append')",
	"x = []\nfor i in range(3):\n    x.append(i)\nx.insert(1, 9)\nx.pop()\nx.remove(9)\nx.extend([5])\ny = x.index(5)", "x = {'a': 1}\nx.update({'b': 2}, c=3)\nx.pop('a')\ny = [x.get('b'), x.get('z', 4), x.setdefault('q', 5), x.keys(), x.values()]",
	"x = 1\nwhile x < 100: x += x", "def f(n):\n    total = 0\n    for i in range(n):\n        if i % 2 == 0: continue\n        total += i\n    return total\nx = f(10)", "x = 1 if 2 > 1 else 3",
	"x = {(1, 2): 3}[(1, 2)]", "x = 'ab' 'c'", "x = -1 + +2 + ~3", "x = not 1 == 2", "x = dict([('a', 1)], b=2)", "x = b'ab' + b'c'", "x = 1 << 3 << 2", "x = (1 << 100) * (1 << 90) // (1 << 3)",
	// Errors are errors.
	"x = 1 + 'a'", "x = [1][5]", "x = {}['a']", "x = 'a'.none", "x = {}[[]]", "x = [1]\nx[0] += 'a'", "x = 1\nx[0] += 1", "x = {}\nx['a'] += 1", "x = 1 // 0", "x = 'a' < 1", "x = f()", "x.y = 1", "x = [] * 'a'", "x = {[]: 1}", "x = '%d' % 'a'",
	"x = (1, 2)\nx[0] += 1", "def f():\n    y += 1\nf()", "x = [1 for y in 3]", "load('a', 'b')", "x = 'a'.join([1])", "x = 5 in 5", "x = [][::0]",
}

// TestSame: with its guards a text gives what it gives without them, or is an error where that is one.
func TestSame(t *testing.T) {
	for _, text := range same {
		text = function(text, "x")
		options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}
		want, wrong := starlark.ExecFileOptions(options, &starlark.Thread{}, "t.star", text, modules())
		got, err := Exec(tested.Thread("t"), "t.star", text, modules())
		if (err != nil) != (wrong != nil) {
			t.Errorf("%s: %v, without guards %v", text, err, wrong)
			continue
		}
		for name, v := range want {
			if _, ok := v.(*starlark.Function); !ok && wrong == nil && v.String() != got[name].String() {
				t.Errorf("%s: %s is %v, without guards %v", text, name, got[name], v)
			}
		}
	}
}

// TestOrdinary: what a long program of the honest kind does is far below the limits.
func TestOrdinary(t *testing.T) {
	const text = `
words = ("the quick brown fox jumps over the lazy dog " * 200).split()
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
best = sorted(counts.items(), key=lambda p: (-p[1], p[0]))
text = ", ".join(["%s: %d" % (w, n) for w, n in best])
lines = []
for i in range(2000):
    lines.append("%d. %s" % (i, text[:80]))
out = "\n".join(lines)
`
	globals, err := Exec(tested.Thread("t"), "t.star", text, nil)
	if err != nil {
		t.Fatal(Plainly(err))
	}
	if got := len(globals["out"].(starlark.String)); got < 100_000 {
		t.Errorf("%d bytes", got)
	}
}

// TestSteps: a loop without end says how many steps it may take, or how long.
func TestSteps(t *testing.T) {
	_, err := Exec(tested.Thread("t"), "t.star", "while True: pass", nil)
	if err == nil || Plainly(err).Error() != "it takes more than 1000000 steps" {
		t.Error(err)
	}
	short := Limits{Steps: 1 << 40, Bytes: 64 << 20, Time: time.Millisecond}
	if _, err := Exec(short.Thread("t"), "t.star", "while True: pass", nil); err == nil || Plainly(err).Error() != "no answer within 1ms" {
		t.Error(err)
	}
}

// FuzzSame: a text of any kind ends, and where it gives something with guards and without, that is the same.
func FuzzSame(f *testing.F) {
	for _, text := range same {
		f.Add(function(text, "x"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		small := Limits{Steps: 2000, Bytes: 1 << 20, Time: 10 * time.Second}
		got, err := Exec(small.Thread("t"), "t.star", text, modules())
		if err != nil {
			return
		}
		plain := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
		plain.SetMaxExecutionSteps(2000)
		options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true}
		want, err := starlark.ExecFileOptions(options, plain, "t.star", text, modules())
		if err != nil {
			t.Fatalf("%q is an error without guards alone: %v", text, err)
		}
		for name, v := range want {
			if a, b := v.String(), got[name].String(); a != b && !strings.Contains(a, "0x") {
				t.Errorf("%q: %s is %s, without guards %s", text, name, b, a)
			}
		}
	})
}

// TestAlike: the same key many times is one key, and a table for each of many records costs no more than they.
func TestAlike(t *testing.T) {
	for _, text := range []string{
		"x = len(set(['a'] * 30000)) + len(set([1.5] * 30000)) + len(set([(1, 2)] * 30000))",
		"x = len(dict([('a', i) for i in range(30000)]))",
		"x = len(json.decode('[' + ','.join(['{\"a\": 1}'] * 30000) + ']'))",
	} {
		if _, err := Exec(Limits{Steps: 1_000_000, Bytes: 64 << 20, Time: 10 * time.Second}.Thread("t"), "t", text, modules()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
