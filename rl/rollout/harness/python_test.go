package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/rl/rollout/harness"
)

// head is what programs in Python begin with.
var head, _, _ = strings.Cut(pythonPair, "def episode")

// TestPython: coroutines, what is left of them, errors and clients that were made too early.
func TestPython(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"a coroutine": {"import asyncio\nasync def episode(e):\n  draft = await asyncio.to_thread(say, 'writer', e['item']['question'])\n  return {'answer': say('editor', 'Better: ' + draft)}", ""},
		"tasks left behind": {`import asyncio
LATE = []
async def late():
  try:
    await asyncio.sleep(3600)
  finally:
    LATE.append(1)
async def episode(e):
  if len(LATE) != e["item"]["fields"].setdefault("n", len(LATE)):
    raise ValueError("a task goes on")
  task = asyncio.ensure_future(late())
  await asyncio.sleep(0)
  draft = say("writer", e["item"]["question"])
  return {"answer": say("editor", "Better: " + draft)}`, ""},
		"a dataclass":     {"import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: 'int'\ndef episode(e):\n  return {'answer': say('editor', 'Better: ' + say('writer', e['item']['question']))}", ""},
		"an early client": {"BASE, KEY = os.environ['OPENAI_BASE_URL'], os.environ['OPENAI_API_KEY']\ndef episode(e):\n  os.environ.update(OPENAI_BASE_URL=BASE, OPENAI_API_KEY=KEY)\n  say('writer', 'x')", "HTTP Error 401"},
		"raises":          {"def episode(e):\n  say('writer', 'x')\n  raise KeyError('x')", "KeyError: 'x'\n  File \""},
		"exits":           {"def episode(e):\n  sys.exit(3)\nimport sys", "SystemExit: 3"},
		"dies":            {"def episode(e):\n  say('writer', 'x')\n  os._exit(3)", "the program: it ended (exit status 3)"},
		"not a number":    {"def episode(e):\n  say('writer', 'x')\n  return {'answer': 'x', 'parts': {'a': [float('nan')]}}", "ValueError: episode returned nan at parts.a[0], expected a finite number"},
		"no result":       {"def episode(e):\n  say('writer', 'x')", `the result: it has no "answer"`},
		"a text":          {"def episode(e):\n  return say('writer', 'x')", `TypeError: episode returned '`},
		"no JSON":         {"def episode(e):\n  return {'answer': {1}}", "TypeError: Object of type set is not JSON serializable"},
		"another name":    {"def other(a, b):\n  pass\ndef episodes(e, n=1):\n  pass", "program.py defines no function episode(e): write a file of its own beside it, so that program.py stays as it is, and name that one:\n\n    import program\n\n\n    def episode(e):\n        return {\"answer\": program.episodes(e[\"item\"][\"question\"])}"},
		"in a package":    {"import json\ndef episode(e):\n  say('writer', 'x')\n  json.loads('{')", "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n  File \""},
		"refused":         {"def episode(e):\n  say('nobody', 'x')", "no agent is called nobody\n  File \""},
		"refused before":  {"def episode(e):\n  try:\n    say('nobody', 'x')\n  except OSError:\n    pass\n  say('writer', 'x')\n  raise KeyError('x')", "KeyError: 'x'\n  File \""},
		"no Python":       {"def episode(e) return 1", "SyntaxError"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "program.py"), []byte(head+c.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, r := setting(t, harness.Settings{Python: "program.py", Interpreter: "python3", Folder: dir, Parallel: 1})
		f := failures(run(t, r, 2))
		if c.why == "" && len(f) > 0 || c.why != "" && len(f) != 4 {
			t.Errorf("%s: %q", name, f)
		}
		for _, why := range f {
			if !strings.Contains(why, c.why) || strings.Contains(why, "Traceback") || strings.Contains(why, "/lib/python") {
				t.Errorf("%s: %q, want %q", name, why, c.why)
			}
		}
	}
}

// TestTraceback: the log has what the reason leaves out, and of a long traceback whole frames.
func TestTraceback(t *testing.T) {
	dir, text := t.TempDir(), "def f99():\n  raise KeyError('x')\n"
	for i := range 99 {
		text += fmt.Sprintf("def f%d():\n  f%d() # %s\n", i, i+1, strings.Repeat("x", 20))
	}
	if err := os.WriteFile(filepath.Join(dir, "program.py"), []byte(text+"def episode(e):\n  f0()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h, r := setting(t, harness.Settings{Python: "program.py", Interpreter: "python3", Folder: dir, Parallel: 1, Log: &log})
	why := failures(run(t, r, 1))[0]
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("KeyError: 'x'\n  File \"%s\", line 2, in f99\n    raise KeyError('x')", filepath.Join(dir, "program.py")); why != want {
		t.Errorf("%q, want %q", why, want)
	}
	_, whole, _ := strings.Cut(log.String(), why+"\n")
	if !strings.HasPrefix(whole, `File "`) || !strings.Contains(whole, "in f80\n") || strings.Contains(whole, "in f1\n") {
		t.Errorf("the log has %q", whole)
	}
}
