//go:build sandbox

package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// file writes a file of functions.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const library = `
import os, sys
from typing import Literal, Optional

RATE = 2

def _helper(x):
    return x

def double(n: int, unit: str = "km") -> str:
    """Double a length.

    Args:
        n: the length
        unit (str): of the length
    """
    print("noise")
    return "%d %s" % (_helper(n) * RATE, unit)

def kinds(a: list[int], b: dict[str, float], c: Optional[str] = None, d: Literal["x", "y"] = "x", *, e: "int | str | None" = None):
    """Return what it got."""
    return {"a": a, "b": b, "c": c, "d": d, "e": e}

def hostile(what: str):
    """Misbehave."""
    if what == "loop":
        while True:
            pass
    if what == "sleep":
        import time
        while True:
            try:
                time.sleep(100)
            except Exception:
                pass
    if what == "flood":
        for i in range(10**6):
            print("line", i)
        return "printed"
    if what == "long":
        return "x" * 10**7
    if what == "half":
        return b"\xf0\x9f caf\xc3".decode("utf-8", "surrogateescape")
    if what == "surrogate":
        return "\ud83d"
    if what == "bytes":
        return b"caf\xc3"
    if what == "raise":
        return 1 / 0
    if what == "exit":
        sys.exit(3)
    if what == "leave":
        os._exit(3)
    if what == "kill":
        os.kill(os.getpid(), 9)
    if what == "memory":
        return len("x" * (1 << 40))
    if what == "recurse":
        return hostile("recurse")
    if what == "object":
        return object
    if what == "forge":
        os.write(1, b'{"result": "forged"}')
    return None
`

// The functions of a file are those with docstrings and annotations, with schemas made of them.
func TestDescribe(t *testing.T) {
	f := open(t, Limits{Deadline: time.Minute, Output: 1000}, file(t, library))
	if got := f.Names(); !reflect.DeepEqual(got, []string{"double", "kinds", "hostile"}) {
		t.Errorf("functions %v", got)
	}
	var got, want any
	const double = `{"name":"double","description":"Double a length.","parameters":{"type":"object","properties":{"n":{"type":"integer","description":"the length"},"unit":{"type":"string","description":"of the length"}},"required":["n"]}}`
	data, _ := json.Marshal(f.List[0])
	_, _ = json.Unmarshal(data, &got), json.Unmarshal([]byte(double), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s", data)
	}
	const kinds = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"type":"object","additionalProperties":{"type":"number"}},"c":{"type":"string"},"d":{"enum":["x","y"]},"e":{"anyOf":[{"type":"integer"},{"type":"string"}]}},"required":["a","b"]}`
	_, _ = json.Unmarshal(f.List[1].Parameters, &got), json.Unmarshal([]byte(kinds), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s", f.List[1].Parameters)
	}
}

// What is wrong with a file is said with its lines.
func TestDescribeWrong(t *testing.T) {
	for text, want := range map[string]string{
		"def f(:\n": "line 1",
		"X = 1\n":   "write one",
		"def f(a):\n    '''It.'''\n\ndef g(a: int):\n    pass\n":  "def f, line 1: its parameter a has no annotation; def g, line 4: it has no docstring",
		"def f(*a: int):\n    '''It.'''\n":                        "such as *args",
		"def f(a: set):\n    '''It.'''\n":                         "is annotated set",
		"async def f(a: int):\n    '''It.'''\n":                   "it is asynchronous",
		"import os\nos._exit(1)\ndef f(a: int):\n    '''It.'''\n": "", // a file is read, and not run, until a function of it is called
	} {
		f, err := Open(t.Context(), []string{file(t, text)}, Limits{Deadline: time.Minute, Output: 100})
		if want == "" {
			if err != nil || f.Close() != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Whatever a function does, its call has a result of bounded length that says so, and the next call is answered.
func TestHostile(t *testing.T) {
	// What ends by itself has a minute for it, however busy the machine is.
	library := file(t, library)
	brief, patient := open(t, Limits{Deadline: 2 * time.Second, Output: 1000}, library, python), open(t, Limits{Deadline: time.Minute, Output: 1000}, library, python)
	const late = "error: no result within"
	call := func(want, name string, arguments any) Result {
		t.Helper()
		data, _ := json.Marshal(arguments)
		f := patient
		if want == late {
			f = brief
		}
		r, err := f.Call(t.Context(), name, data)
		if err != nil {
			t.Fatalf("%s %s: %v", name, data, err)
		}
		if !utf8.ValidString(r.Text) || len(r.Text) > 1100 {
			t.Errorf("%s %s: %d bytes: %.100q", name, data, len(r.Text), r.Text)
		}
		return r
	}
	for what, want := range map[string]string{
		"loop": late, "sleep": late, "flood": "printed", "long": "… (cut: 1048", "half": "caf", "surrogate": "", "bytes": "caf\uFFFD",
		"raise": "error: ZeroDivisionError: division by zero (line ", "exit": "error: it left the interpreter", "leave": "error: it left the interpreter with exit code 3",
		"kill": "error: signal 9 ended it", "memory": "error: MemoryError", "recurse": "error: RecursionError", "object": "class", "none": "null", "forge": "null",
	} {
		if what == "long" {
			want = "error: it wrote more than 1048576 bytes"
		}
		if r := call(want, "hostile", map[string]string{"what": what}); !strings.Contains(r.Text, want) || r.Failed != strings.HasPrefix(want, "error") {
			t.Errorf("%s: %+v, want %q", what, r, want)
		}
	}
	for code, want := range map[string]string{
		"for i in range(10**6): print(i)": "error: it wrote more than 1000 bytes", "while True: pass": late, "1/0": "error: ZeroDivisionError",
		"import sys; sys.stdout.buffer.write(b'\\xf0\\x9f')": "\uFFFD", "import os; print('so', flush=True); os._exit(2)": "so\nerror: it left the interpreter with exit code 2",
		"x = 6\nx*7": "42", "print('a'); 'b'": "a\n'b'", "def f(:": "error: SyntaxError", "pass": "", "import socket; socket.socket()": "Error",
	} {
		if r := call(want, python, map[string]string{"code": code}); !strings.Contains(r.Text, want) || strings.Contains(want, "rror") && !r.Failed {
			t.Errorf("%q: %+v, want %q", code, r, want)
		}
	}
	if r := call("", "double", map[string]any{"n": 4}); r.Text != "8 km" || r.Failed {
		t.Errorf("afterwards: %+v", r)
	}
	if r := call("", "kinds", map[string]any{"a": []int{1}, "b": map[string]float64{}}); r.Text != `{"a": [1], "b": {}, "c": null, "d": "x", "e": null}` {
		t.Errorf("%+v", r)
	}
}
