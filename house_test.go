package parley_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says which rooms the packages of a room may import beside each other's: arrows point downward only. A package belongs
// to the room with the longest name that begins its path; folders below a room that have a row of their own are another room.
var rooms = map[string][]string{
	"internal/seed":            {},
	"internal/shipped":         {},
	"internal/atomicdir":       {},
	"internal/filelock":        {},
	"internal/listen":          {},
	"internal/folder":          {},
	"internal/seal":            {},
	"internal/service":         {"internal/text"},
	"internal/tie":             {},
	"internal/terminal":        {},
	"internal/sysmem":          {},
	"internal/usererror":       {},
	"internal/plotio":          {},
	"internal/nearest":         {},
	"internal/plainyaml":       {},
	"internal/plainfile":       {},
	"internal/shell":           {},
	"internal/table":           {},
	"sandbox":                  {},
	"task/dataset":             {"internal/plainfile", "internal/shell", "internal/sysmem", "task/dataset/jsonl", "task/dataset/parquet", "internal/text"},
	"task/dataset/jsonl":       {"internal/text"},
	"task/dataset/parquet":     {},
	"task/dataset/record":      {},
	"task/dataset/survey":      {"task", "task/dataset", "task/dataset/record"},
	"internal/text":            {},
	"task/world":               {"environment", "environment/external", "task", "task/dataset"},
	"task/answer":              {},
	"task":                     {"internal/atomicdir", "internal/tie", "task/answer", "task/dataset", "task/dataset/jsonl", "sandbox", "internal/seed", "internal/service", "task/dataset/record", "internal/plainfile", "internal/bounded", "engine/openai/client"},
	"environment":              {"task", "internal/seed"},
	"environment/external":     {"environment", "internal/service", "sandbox", "task", "internal/plainfile"},
	"speaker":                  {"task", "team"},
	"speaker/external":         {"internal/seed", "internal/service", "speaker", "team", "internal/bounded", "engine/openai/client"},
	"team":                     {"model", "task", "task/answer", "internal/bounded"},
	"team/discuss":             {"eval", "internal/tie", "task/answer"},
	"team/given":               {"task", "team"},
	"team/refine":              {"internal/tie"},
	"team/workflow/shapes":     {"team/workflow"},
	"team/protocols":           {"team", "team/workflow"},
	"team/workflow/mend":       {"team/workflow"},
	"team/workflow/picture":    {"internal/plotio", "team/workflow"},
	"team/workflow":            {"internal/nearest", "internal/seed", "task", "team", "internal/bounded"},
	"eval":                     {"internal/seed", "internal/tie", "task/answer"},
	"reward":                   {"eval", "internal/tie", "task/answer"},
	"align":                    {},
	"bank":                     {"internal/tie"},
	"credit":                   {"internal/tie"},
	"credit/atgrpo":            {"credit", "internal/tie"},
	"credit/branch":            {"credit"},
	"credit/counterfactual":    {"credit"},
	"credit/influence":         {"credit"},
	"credit/instruction":       {"credit"},
	"credit/mass":              {},
	"credit/prefix":            {},
	"credit/rolebaseline":      {},
	"credit/siblings":          {},
	"credit/subagent":          {"credit", "internal/tie"},
	"credit/workflow":          {"credit", "internal/tie"},
	"engine":                   {},
	"engine/batching":          {"engine"},
	"decode":                   {"internal/tie"},
	"loss":                     {"credit", "engine", "internal/tie"},
	"label":                    {"internal/tie"},
	"learn/learntest":          {"task/answer", "team/protocols", "credit", "engine", "eval", "internal/seed", "learn", "reward", "rollout", "task", "team", "speaker"},
	"learn":                    {"credit", "credit/atgrpo", "credit/branch", "credit/mass", "credit/rolebaseline", "credit/subagent", "credit/workflow", "engine", "eval", "internal/seed", "internal/tie", "loss", "reward", "rollout", "task/answer", "credit/counterfactual", "credit/siblings", "credit/influence", "label"},
	"rollout":                  {"credit", "credit/atgrpo", "engine", "environment", "internal/seed", "internal/tie", "task", "task/answer", "team", "speaker", "rollout/gather"},
	"diagnose":                 {"credit/mass", "engine", "internal/tie", "rollout", "runs", "task"},
	"recipe":                   {"credit", "internal/nearest", "internal/shipped", "learn", "recipe/catalog", "recipe/elsewhere", "recipe/keys", "recipe/paths", "recipe/schedule", "recipe/schema", "reward", "task", "team", "team/workflow", "recipe/teams", "internal/plainfile", "internal/usererror", "team/workflow/mend"},
	"recipe/catalog":           {"learn", "recipe/elsewhere", "recipe/keys", "recipe/schema", "task", "team"},
	"recipe/elsewhere":         {},
	"recipe/pages":             {"learn", "recipe", "recipe/catalog", "recipe/schema", "task", "team", "recipe/teams"},
	"recipe/keys":              {"recipe/schema"},
	"recipe/paths":             {"recipe/schema"},
	"recipe/teams":             {"recipe/keys", "reward", "task", "team", "team/workflow", "bank", "team/workflow/lessons"},
	"recipe/schedule":          {"learn"},
	"recipe/schema":            {"internal/nearest", "internal/plainyaml"},
	"train/alone":              {"task/answer", "environment", "eval", "internal/seed", "learn", "recipe", "runs", "system/mutual", "system/read", "task", "team/refine", "train/lineup", "train/record", "train/plan", "train/report", "train/timeline", "train/measure", "train/together"},
	"system/mutual":            {"credit/instruction", "engine", "environment", "internal/seed", "task", "team"},
	"system/read":              {"environment", "internal/seed", "speaker", "task", "team", "team/refine"},
	"recipe/language":          {"team/protocols", "learn", "team", "recipe", "task", "task/world", "task/speedup"},
	"runs/ledger":              {},
	"runs/store":               {"internal/folder", "internal/seal", "runs/ledger"},
	"runs/policies":            {"runs", "runs/store"},
	"runs/verify":              {"internal/folder", "runs", "runs/ledger", "runs/store"},
	"runs":                     {"eval", "internal/filelock", "internal/folder", "internal/seal", "internal/shell", "internal/usererror", "runs/ledger", "runs/store"},
	"runs/compare":             {"eval", "internal/plotio", "internal/seed", "internal/table", "runs", "internal/shell"},
	"runs/heldout":             {"runs"},
	"runs/scalars":             {"internal/folder", "runs", "runs/ledger"},
	"runs/tensorboard":         {"runs", "runs/scalars"},
	"runs/mlflow":              {"internal/atomicdir", "internal/shell", "runs", "runs/scalars", "internal/service", "internal/plainyaml"},
	"model":                    {"internal/atomicdir", "internal/plainfile", "internal/service"},
	"engine/native":            {"engine", "engine/native/kernel", "internal/atomicdir", "internal/seed", "model"},
	"engine/native/kernel":     {"engine", "model"},
	"engine/native/bench":      {"engine", "engine/native", "engine/native/kernel", "loss", "internal/sysmem", "model", "internal/seed"},
	"engine/tinker/wire":       {},
	"engine/tinker/tinkertest": {"engine", "engine/tinker/wire"},
	"engine/tinker/probe":      {"engine/tinker/link", "engine/tinker/wire", "internal/service", "model"},
	"engine/tinker/link":       {"engine/tinker/wire", "internal/atomicdir", "internal/service", "model"},
	"engine/openai/client":     {"internal/service", "internal/plainfile"},
	"engine/openai/openaitest": {"engine", "engine/openai/client"},
	"engine/openai":            {"engine", "internal/service", "engine/openai/client"},
	"train/sampling":           {"engine", "engine/openai", "engine/openai/client", "internal/usererror", "model", "recipe", "recipe/keys", "train/plan"},
	"engine/tabular":           {"credit", "engine", "loss", "internal/seed"},
	"chatsession":              {"engine", "model", "internal/seed", "task", "team", "speaker", "rollout"},
	"verifier":                 {"engine", "eval", "internal/atomicdir", "loss", "internal/seed", "internal/service", "task", "task/answer", "team", "model", "engine/openai/client"},
	"study":                    {"internal/nearest", "internal/shipped", "internal/plainfile", "recipe", "recipe/keys", "recipe/schema"},
	"study/results":            {"eval", "internal/plotio", "internal/table", "runs", "study"},
	"game":                     {},
	"train/timeline":           {"engine", "learn", "rollout"},
	"train/plan":               {"runs", "internal/nearest", "task/dataset", "task/dataset/record", "internal/shell", "team/given", "credit", "engine", "rollout", "internal/seed", "internal/sysmem", "internal/usererror", "learn", "model", "recipe", "recipe/teams", "recipe/keys", "reward", "sandbox", "task", "team", "team/workflow", "team/protocols", "internal/plainfile", "engine/openai/client"},
	"train/estimate":           {"internal/shell", "engine", "internal/sysmem", "internal/usererror", "learn", "model", "recipe", "recipe/keys", "recipe/schedule", "runs", "task", "task/dataset", "train/plan", "verifier", "credit", "recipe/teams"},
	"train/score":              {"credit", "engine", "environment", "eval", "internal/service", "internal/usererror", "learn", "recipe", "recipe/keys", "reward", "rollout", "sandbox", "task", "task/answer", "team", "train/plan", "verifier", "internal/tie", "engine/openai/client"},
	"train/lineup":             {"task/answer", "team/protocols", "credit", "engine", "environment", "eval", "internal/usererror", "learn", "model", "recipe", "recipe/keys", "reward", "rollout", "runs", "task", "team", "train/estimate", "train/plan", "train/score", "train/timeline", "verifier", "speaker", "speaker/external", "rollout/tools", "rollout/counterfactual", "speaker/executor", "executor", "train/cluster", "engine/openai/client", "internal/atomicdir", "train/sampling", "rollout/keep", "internal/seed"},
	"train/forecast":           {"internal/plainfile", "model", "recipe", "runs", "train/estimate", "train/plan", "train/record"},
	"launch":                   {"internal/nearest", "internal/shell", "model"},
	"train/measure":            {"rollout/keep", "train/failures", "engine", "eval", "internal/seed", "learn", "recipe", "rollout", "runs", "runs/heldout", "task", "task/answer", "team", "train/lineup", "train/plan", "train/score", "internal/tie", "train/play"},
	"train/progress":           {"recipe", "runs", "runs/tensorboard", "runs/mlflow"},
	"train/news":               {"recipe", "rollout", "runs", "train/progress", "train/record"},
	"train/report":             {"internal/shell", "eval", "internal/plotio", "runs", "internal/table", "train/failures"},
	"train/export":             {"engine", "engine/native", "internal/atomicdir", "internal/sysmem", "model", "runs", "runs/heldout", "runs/policies"},
	"train/failures":           {"rollout", "runs"},
	"train/passrate":           {"credit", "engine", "internal/seal", "internal/tie", "internal/usererror", "rollout", "runs", "task", "train/estimate", "train/lineup", "train/measure", "label", "team", "team/given", "train/plan"},
	"train/lessons":            {"align", "engine", "internal/seal", "internal/usererror", "model", "recipe", "rollout", "runs", "task", "team", "train/lineup", "runs/store", "runs/policies", "train/provenance", "train/trust", "learn"},
	"train/provenance":         {"internal/plainfile", "internal/usererror", "model", "recipe", "recipe/keys", "recipe/paths", "recipe/schema", "runs", "task/dataset", "train/plan", "internal/sysmem", "learn", "rollout", "train/lineup", "train/record", "runs/verify", "train/cluster", "train/sampling"},
	"train/record":             {"engine", "eval", "internal/sysmem", "learn", "rollout", "runs", "task/answer", "train/failures", "train/lineup", "train/report", "train/score", "train/timeline", "team", "diagnose", "internal/plotio", "recipe", "team/workflow", "team/workflow/picture", "train/plan"},
	"train/trust":              {"internal/shell", "internal/usererror", "recipe", "recipe/paths", "runs"},
	"chatsession/remote":       {"internal/service"},
	"engine/shared":            {"engine", "engine/batching", "engine/native", "model"},
	"viewer":                   {"internal/listen", "internal/folder", "internal/seal", "internal/shell", "model", "recipe", "rollout", "runs", "viewer/episodes", "viewer/show", "viewer/tokens", "train/trust", "viewer/ask", "viewer/jobs", "viewer/swap"},
	"viewer/ask":               {"chatsession", "engine", "internal/filelock", "internal/folder", "recipe", "runs/policies", "serve", "train/lineup", "serve/talk", "viewer/trained"},
	"viewer/trained":           {"internal/usererror", "recipe", "runs", "runs/policies", "train/lineup", "train/plan", "train/provenance", "train/trust"},
	"viewer/jobs":              {},
	"viewer/tables":            {"rollout", "runs", "runs/scalars", "viewer/episodes", "viewer/flat", "viewer/tokens"},
	"viewer/swap":              {"engine", "internal/folder", "recipe", "rollout", "runs", "task", "team", "train/lineup", "viewer/episodes", "viewer/flat", "viewer/trained"},
	"viewer/tokens":            {"engine", "internal/folder", "internal/usererror", "learn", "loss", "recipe", "rollout", "runs", "runs/policies", "train/lineup", "train/provenance", "train/trust", "viewer/episodes", "model"},
	"viewer/flat":              {},
	"viewer/explain":           {"reward"},
	"viewer/episodes":          {"internal/folder", "reward", "rollout", "runs", "team", "viewer/explain", "viewer/flat"},
	"viewer/show":              {"eval", "internal/filelock", "internal/folder", "internal/shell", "recipe", "rollout", "runs", "runs/compare", "runs/scalars", "viewer/episodes", "viewer/flat"},
	"web":                      {},
	"serve":                    {"chatsession", "engine", "engine/batching", "eval", "task/answer", "team"},
	"serve/queue":              {},
	"serve/gate":               {"internal/listen", "engine", "serve", "serve/queue"},
	"serve/openai":             {"chatsession", "engine", "internal/seed", "serve", "serve/gate", "team", "serve/queue"},
	"serve/ollama":             {"chatsession", "engine", "serve", "serve/gate", "team"},
	"serve/tinker":             {"internal/listen", "engine", "engine/batching", "engine/tinker/wire", "model", "serve/queue", "serve/tinker/answer", "serve/tinker/catalog", "serve/tinker/checkpoint", "serve/tinker/draws", "serve/tinker/losses", "serve/tinker/promise"},
	"serve/tinker/answer":      {},
	"serve/tinker/catalog":     {"model", "serve/tinker/answer", "serve/tinker/checkpoint"},
	"serve/tinker/checkpoint":  {"internal/atomicdir", "internal/filelock"},
	"serve/tinker/draws":       {"engine", "engine/tinker/wire"},
	"serve/tinker/losses":      {"engine/tinker/wire", "engine"},
	"serve/tinker/promise":     {},
	"serve/talk":               {"train", "engine", "engine/batching", "chatsession", "rollout", "train/lineup", "train/plan", "internal/usererror", "task", "team", "train/together"},
	"train/play":               {"engine", "environment", "internal/seed", "rollout", "task", "team", "train/lineup", "learn", "recipe"},
	"rollout/tools":            {"engine", "internal/service", "model", "rollout", "sandbox", "team", "internal/plainfile"},
	"rollout/counterfactual":   {"rollout", "team"},
	"internal/bounded":         {},
	"team/workflow/lessons":    {"bank", "internal/seed"},
	"speaker/executor":         {"executor", "speaker"},
	"executor":                 {"bank", "sandbox"},
	"task/speedup":             {"executor", "task", "task/dataset", "task/dataset/jsonl", "task/dataset/record"},
	"train/together":           {"rollout/keep", "decode", "engine", "eval", "internal/seed", "internal/usererror", "learn", "model", "recipe", "rollout", "runs", "runs/policies", "system/collab", "task", "task/answer", "train/lineup", "train/measure", "train/plan"},
	"system/collab":            {"decode", "engine", "internal/seed"},
	"rollout/keep":             {"engine", "rollout", "task"},
	"rollout/gather":           {"engine"},
	"train/ahead":              {"internal/atomicdir", "rollout"},
	"engine/simulated":         {"engine", "internal/seed"},
	"engine/tinker":            {"engine", "engine/tinker/wire", "internal/atomicdir", "internal/seed", "internal/service", "model", "engine/tinker/link", "engine/tinker/probe"},
	"train/cluster":            {"engine", "engine/tinker", "internal/usererror", "learn", "model", "recipe", "recipe/keys", "train/plan", "engine/tinker/link", "engine/tinker/probe"},
	"train/kept":               {"internal/filelock", "internal/folder", "internal/seal", "internal/shell", "internal/usererror", "recipe", "rollout/keep", "runs", "runs/store", "train/measure", "train/plan", "train/provenance", "train/trust"},
	"train": {
		"internal/service",
		"train/kept", "train/record", "chatsession", "credit", "diagnose", "engine", "eval", "internal/shell", "internal/seed", "internal/sysmem", "internal/usererror", "learn", "model", "recipe", "reward", "rollout", "runs", "task", "task/answer", "team", "train/estimate", "train/lineup", "train/measure", "train/plan", "train/news", "train/progress", "train/report", "train/score", "train/timeline", "train/passrate", "train/failures", "train/provenance", "runs/policies", "runs/verify", "train/trust", "train/play", "rollout/tools", "train/ahead", "train/alone", "train/cluster", "train/lessons",
		"train/kept", "train/record", "chatsession", "credit", "diagnose", "engine", "eval", "internal/shell", "internal/seed", "internal/sysmem", "internal/usererror", "learn", "model", "recipe", "reward", "rollout", "runs", "task", "task/answer", "team", "train/estimate", "train/lineup", "train/measure", "train/plan", "train/news", "train/progress", "train/report", "train/score", "train/timeline", "train/passrate", "train/failures", "train/provenance", "runs/policies", "runs/verify", "train/trust", "train/play", "rollout/tools", "train/ahead", "train/alone", "train/cluster", "train/lessons",
	},
	"cmd": {
		"cmd/parley/internal/chatcmd", "cmd/parley/internal/cli", "cmd/parley/internal/clustercmd", "cmd/parley/internal/completecmd", "cmd/parley/internal/datacmd", "cmd/parley/internal/doctorcmd", "cmd/parley/internal/gamecmd", "cmd/parley/internal/initcmd", "cmd/parley/internal/modelcmd", "cmd/parley/internal/recipecmd", "cmd/parley/internal/rewardcmd", "cmd/parley/internal/runcmd", "cmd/parley/internal/servecmd", "cmd/parley/internal/studycmd", "cmd/parley/internal/traincmd", "cmd/parley/internal/verifiercmd", "recipe", "recipe/language", "sandbox", "internal/sysmem", "recipe/elsewhere", "cmd/parley/internal/uicmd",
	},
	"cmd/parley/internal/cli":         {"engine/native/kernel", "internal/service", "internal/nearest", "internal/shell", "internal/terminal", "recipe", "runs", "train"},
	"cmd/parley/internal/live":        {"cmd/parley/internal/cli", "internal/table", "internal/terminal", "rollout", "runs", "train", "train/forecast", "viewer/episodes", "viewer/flat", "internal/sysmem", "model"},
	"cmd/parley/internal/chatcmd":     {"recipe", "serve/talk", "chatsession", "chatsession/remote", "team", "cmd/parley/internal/cli", "cmd/parley/internal/live", "cmd/parley/internal/modelcmd", "engine", "engine/native", "internal/terminal", "model", "train"},
	"cmd/parley/internal/completecmd": {"cmd/parley/internal/cli", "model", "recipe", "runs", "study"},
	"cmd/parley/internal/datacmd":     {"cmd/parley/internal/cli", "cmd/parley/internal/live", "internal/terminal", "model", "recipe", "sandbox", "task", "task/dataset", "task/dataset/survey", "team", "train/plan"},
	"cmd/parley/internal/doctorcmd":   {"engine/tinker", "cmd/parley/internal/cli", "engine/native/kernel", "internal/sysmem", "runs", "sandbox", "engine/tinker/link", "recipe", "train/cluster", "internal/usererror"},
	"cmd/parley/internal/gamecmd":     {"cmd/parley/internal/cli", "credit", "engine/tabular", "game", "internal/seed", "internal/plotio"},
	"cmd/parley/internal/initcmd":     {"cmd/parley/internal/cli", "internal/nearest", "internal/shell", "internal/terminal", "model", "recipe", "task", "task/dataset", "task/dataset/record", "task/dataset/survey", "train/plan"},
	"cmd/parley/internal/modelcmd":    {"cmd/parley/internal/cli", "cmd/parley/internal/live", "engine", "engine/native", "engine/native/bench", "internal/seed", "internal/shell", "internal/sysmem", "model", "team"},
	"cmd/parley/internal/recipecmd":   {"recipe/keys", "recipe/paths", "cmd/parley/internal/cli", "model", "recipe", "runs", "sandbox", "task", "task/dataset", "task/dataset/survey", "team/workflow", "team/workflow/picture", "internal/plotio", "train/plan", "verifier", "internal/plainfile", "speaker/external", "rollout/tools", "engine/openai/client"},
	"cmd/parley/internal/rewardcmd":   {"cmd/parley/internal/cli", "internal/plainfile", "recipe", "task", "train/plan", "train/score", "internal/tie", "recipe/keys", "recipe/schema"},
	"cmd/parley/internal/runcmd":      {"internal/folder", "internal/shell", "internal/table", "cmd/parley/internal/cli", "engine", "internal/atomicdir", "learn", "model", "runs", "train", "train/report", "internal/plotio", "runs/compare", "runs/tensorboard", "train/progress", "runs/mlflow", "engine/native", "cmd/parley/internal/live", "runs/policies", "runs/verify", "train/export", "train/passrate", "train/plan", "internal/terminal", "viewer/ask", "viewer/episodes", "viewer/flat", "viewer/show", "viewer/swap", "viewer/tables", "viewer/tokens"},
	"cmd/parley/internal/studycmd":    {"cmd/parley/internal/cli", "internal/plainfile", "internal/service", "internal/atomicdir", "internal/filelock", "internal/plotio", "internal/shell", "recipe", "runs", "runs/ledger", "study", "study/results", "train", "train/provenance"},
	"cmd/parley/internal/servecmd":    {"internal/listen", "chatsession", "cmd/parley/internal/cli", "cmd/parley/internal/modelcmd", "engine", "engine/shared", "model", "recipe", "serve", "serve/gate", "serve/ollama", "serve/openai", "train", "serve/talk", "serve/tinker", "serve/tinker/checkpoint"},
	"cmd/parley/internal/traincmd":    {"internal/shell", "train/kept", "train/plan", "cmd/parley/internal/cli", "cmd/parley/internal/live", "engine/native", "internal/sysmem", "recipe", "train", "train/estimate", "train/cluster", "train/sampling", "engine", "engine/native/bench", "runs", "train/forecast"},
	"cmd/parley/internal/clustercmd":  {"cmd/parley/internal/cli", "internal/shell", "launch", "learn", "model", "recipe", "train/estimate", "train/plan"},
	"cmd/parley/internal/uicmd":       {"internal/listen", "cmd/parley/internal/cli", "internal/atomicdir", "runs", "viewer", "web", "internal/terminal", "viewer/jobs"},
	"cmd/parley/internal/verifiercmd": {"cmd/parley/internal/cli", "engine", "engine/native", "task", "train/lineup", "verifier", "eval", "internal/plotio"},
}

// tools are programs and test inputs: they may import everything, and only tests may import them.
var tools = []string{"examples", "internal/learning", "internal/reference", "internal/resuming", "internal/shortrun", "internal/vectortest", "tools"}

func roomOf(dir string) string {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := rooms[d]; ok || slices.Contains(tools, d) {
			return d
		}
	}
	return ""
}

// files calls visit for every file of the repository that matches, with its path relative to the root, with slashes. Hidden
// folders, folders of runs and packages from npm are left out.
func files(t *testing.T, match func(name string) bool, visit func(name string, data []byte)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "runs" && !isPackage(name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if name = filepath.ToSlash(name); !match(name) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err == nil {
			seen++
			visit(name, data)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d files read, %v", seen, err)
	}
}

func isPackage(dir string) bool {
	list, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(list) > 0
}

func goFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.Contains(name, "testdata/")
}

func source(name string) bool { return goFile(name) && !strings.HasSuffix(name, "_test.go") }

func parse(t *testing.T, name string, data []byte, mode parser.Mode) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, data, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestArrows checks every import of a package of this module against the table of rooms.
func TestArrows(t *testing.T) {
	ours := modulePath(t) + "/"
	files(t, source, func(name string, data []byte) {
		from := path.Dir(name)
		room := roomOf(from)
		if from == "." || slices.Contains(tools, room) {
			return
		}
		if room == "" {
			t.Errorf("%s: package %s belongs to no room: give it a row in the table of rooms", name, from)
			return
		}
		for _, spec := range parse(t, name, data, parser.ImportsOnly).Imports {
			quoted, err := strconv.Unquote(spec.Path.Value)
			to, inside := strings.CutPrefix(quoted, ours)
			if err != nil || !inside {
				continue
			}
			if target := roomOf(to); target != room && !slices.Contains(rooms[room], target) {
				t.Errorf("%s: %s must not import %s", name, room, to)
			}
		}
	})
}

// TestOneClient: requests go out under one policy, that of internal/service/web.
func TestOneClient(t *testing.T) {
	asks := []string{"Client{", "DefaultClient", "DefaultTransport", "Transport{", "Get(", "Post(", "PostForm(", "Head("}
	files(t, source, func(name string, data []byte) {
		if path.Dir(name) == "internal/service/web" {
			return
		}
		for _, how := range asks {
			if bytes.Contains(data, []byte("http."+how)) {
				t.Errorf("%s uses http.%s…: make the client with web.NewClient", name, how)
			}
		}
	})
}

// modulePath is the path that go.mod gives the module.
func modulePath(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(first, "module ")
}

// TestRoomsHaveNoCircles checks the table itself.
func TestRoomsHaveNoCircles(t *testing.T) {
	visited := map[string]bool{} // rooms whose rooms below have no circle; without it the walk takes every path of the table
	var visit func(room string, above []string)
	visit = func(room string, above []string) {
		if slices.Contains(above, room) {
			t.Fatalf("circle: %s → %s", strings.Join(above, " → "), room)
		}
		if visited[room] {
			return
		}
		for _, below := range rooms[room] {
			if _, ok := rooms[below]; !ok {
				t.Fatalf("%s may import %s, which is no room", room, below)
			}
			visit(below, append(above[:len(above):len(above)], room))
		}
		visited[room] = true
	}
	for room := range rooms {
		visit(room, nil)
	}
}

// pure are the rooms of mathematics: functions of what they are given. What they must not import would let the clock, the machine or chance in.
var pure = []string{"align", "bank", "decode", "team", "team/discuss", "team/refine", "reward", "credit", "credit/atgrpo", "credit/branch", "credit/counterfactual", "credit/influence", "credit/instruction", "credit/mass", "credit/prefix", "credit/rolebaseline", "credit/siblings", "credit/subagent", "credit/workflow", "label", "loss", "eval", "game", "task/answer", "diagnose"}

// TestPureCore checks that the pure rooms import nothing impure.
func TestPureCore(t *testing.T) {
	impure := []string{"os", "time", "net", "sync", "math/rand", "math/rand/v2"}
	checked := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		room := roomOf(path.Dir(name))
		if !slices.Contains(pure, room) {
			return
		}
		checked[room] = true
		for _, spec := range parse(t, name, data, parser.ImportsOnly).Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if slices.ContainsFunc(impure, func(p string) bool { return imported == p || strings.HasPrefix(imported, p+"/") }) {
				t.Errorf("%s: %s is pure and must not import %s", name, room, imported)
			}
		}
	})
	if len(checked) != len(pure) {
		t.Errorf("only %v have files", checked)
	}
}

// TestPackageComments checks that every package says what it is.
func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		doc := parse(t, name, data, parser.ParseComments|parser.PackageClauseOnly).Doc
		documented[path.Dir(name)] = documented[path.Dir(name)] || doc != nil && len(doc.Text()) > 40
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment that says what it is", dir)
		}
	}
}

// TestExportedComments checks that every exported function, type and method of a room says what it does.
func TestExportedComments(t *testing.T) {
	files(t, source, func(name string, data []byte) {
		if slices.Contains(tools, roomOf(path.Dir(name))) {
			return
		}
		for _, d := range parse(t, name, data, parser.ParseComments).Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", name, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: type %s has no comment", name, ts.Name.Name)
					}
				}
			}
		}
	})
}

// wellKnown are methods whose meaning is fixed by the standard library.
var wellKnown = []string{"Error", "Unwrap", "String", "Run", "Help", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON", "Close"}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	if slices.Contains(wellKnown, d.Name.Name) {
		return false
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = exported || id.IsExported()
		}
		return true
	})
	return exported
}

// TestModule checks that go.mod can be installed from elsewhere: `go install` refuses replace and exclude. Modules of tools are run from here alone.
func TestModule(t *testing.T) {
	files(t, func(name string) bool { return path.Base(name) == "go.mod" && roomOf(path.Dir(name)) != "tools" }, func(name string, data []byte) {
		for i, line := range strings.Split(string(data), "\n") {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if word == "replace" || word == "exclude" {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
	})
}

// most is how many modules go.mod may require directly, those of tests included. A new one has to replace one, or to argue.
const most = 15

// TestRequirements counts what go.mod requires directly, and looks for a reason for each.
func TestRequirements(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, line := range strings.Split(string(data), "\n") {
		if fields := strings.Fields(line); len(fields) == 2 && strings.HasPrefix(line, "\t") {
			direct = append(direct, fields[0])
		}
	}
	reasons, err := os.ReadFile("RATIONALE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range direct {
		if !bytes.Contains(reasons, []byte("\n| "+name+" |")) {
			t.Errorf("the table in RATIONALE.md does not say why go.mod requires %s", name)
		}
	}
	if len(direct) == 0 || len(direct) > most {
		t.Errorf("go.mod requires %d modules directly, at most %d: %s", len(direct), most, strings.Join(direct, " "))
	}
}

// TestNoMachinePaths checks that no text names a folder of the machine that it was written on.
func TestNoMachinePaths(t *testing.T) {
	paths := []string{"/" + "work/", "/" + "root/", "/" + "home/runner", "/" + "tmp/notes"}
	text := func(name string) bool {
		return slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".txt", ".txtar", ".py", ".sh", ".s", ".mod", ".json"}, path.Ext(name))
	}
	files(t, text, func(name string, data []byte) {
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, p := range paths {
				if bytes.Contains(line, []byte(p)) {
					t.Errorf("%s:%d names %s", name, i+1, p)
				}
			}
		}
	})
}

// TestNothingIsSkipped checks that no test can pass by not running.
func TestNothingIsSkipped(t *testing.T) {
	tests := func(name string) bool { return goFile(name) && strings.HasSuffix(name, "_test.go") }
	files(t, tests, func(name string, data []byte) {
		ast.Inspect(parse(t, name, data, 0), func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow", "Short"}, s.Sel.Name) {
				t.Errorf("%s calls %s: where something is missing a test must fail", name, s.Sel.Name)
			}
			return true
		})
	})
}

// TestFormatted checks that every Go file is as gofmt leaves it.
func TestFormatted(t *testing.T) {
	files(t, goFile, func(name string, data []byte) {
		formatted, err := format.Source(data)
		if err != nil || !bytes.Equal(formatted, data) {
			t.Errorf("%s is not formatted (%v): gofmt -w %s", name, err, name)
		}
	})
}
