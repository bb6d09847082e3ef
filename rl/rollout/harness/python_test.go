package harness_test

import (
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
		"raises":          {"def episode(e):\n  say('writer', 'x')\n  raise KeyError('x')", "    raise KeyError('x')\nKeyError: 'x'"},
		"exits":           {"def episode(e):\n  sys.exit(3)\nimport sys", "SystemExit: 3"},
		"dies":            {"def episode(e):\n  say('writer', 'x')\n  os._exit(3)", "the program: it ended (exit status 3)"},
		"not a number":    {"def episode(e):\n  say('writer', 'x')\n  return {'answer': 'x', 'parts': {'a': [float('nan')]}}", "ValueError: episode returned nan at parts.a[0], expected a finite number"},
		"no result":       {"def episode(e):\n  say('writer', 'x')", `the result: it has no "answer"`},
		"a text":          {"def episode(e):\n  return say('writer', 'x')", `TypeError: episode returned '`},
		"no JSON":         {"def episode(e):\n  return {'answer': {1}}", "TypeError: Object of type set is not JSON serializable"},
		"another name":    {"def episodes(e):\n  pass", "defines no function episode(e)"},
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
			if !strings.Contains(why, c.why) {
				t.Errorf("%s: %q, want %q", name, why, c.why)
			}
		}
	}
}
