package torch

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/engine"
)

// A fake is a worker that the test's own program plays: it holds no model, answers as one would, and may lie about one op.
type fake struct {
	in   *bufio.Reader
	lies string // what it lies about
	head struct {
		ID       int
		Op       string
		Requests []struct{ Most int }
		Data     []struct {
			Asked      int
			Values     bool
			ValuesOnly bool `json:"values_only"`
		}
		Params  []string
		Tensors []struct {
			Shape []int
		}
		Cancel bool
	}
	values map[string]int // elements of the parameters of the last policy
	raw    [][]byte
}

// read takes the next frame.
func (f *fake) read() bool {
	var n [4]byte
	if _, err := io.ReadFull(f.in, n[:]); err != nil {
		return false
	}
	text := make([]byte, binary.LittleEndian.Uint32(n[:]))
	if _, err := io.ReadFull(f.in, text); err != nil {
		return false
	}
	f.head.Op, f.head.Tensors, f.head.Cancel, f.raw = "", nil, false, nil
	if err := json.Unmarshal(text, &f.head); err != nil {
		panic(err)
	}
	for _, t := range f.head.Tensors {
		n := 4
		for _, d := range t.Shape {
			n *= d
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(f.in, data); err != nil {
			return false
		}
		f.raw = append(f.raw, data)
	}
	return true
}

// say answers with tensors of float32, or of int32 where the name is rows or drawn.
func (f *fake) say(what string, tensors ...any) {
	var list []map[string]any
	var data []byte
	for i := 0; i < len(tensors); i += 2 {
		name, x := tensors[i].(string), tensors[i+1].([]float64)
		t := map[string]any{"name": name, "dtype": "f32", "shape": []int{len(x)}}
		whole := name == "rows" || name == "drawn"
		if whole {
			t["dtype"] = "i32"
		}
		for _, v := range x {
			bits := math.Float32bits(float32(v))
			if whole {
				bits = uint32(int32(v))
			}
			data = binary.LittleEndian.AppendUint32(data, bits)
		}
		list = append(list, t)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	head := fmt.Sprintf(`{"id":%d,%s,"tensors":%s}`, f.head.ID, what, text)
	_, _ = os.Stdout.Write(append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...), data...)) // who reads may be gone
}

const modules = `[{"name":"model.layers.0.self_attn.q_proj","out":4,"in":4},{"name":"model.layers.0.mlp.gate","out":2,"in":4,"router":true}]`

// answer plays one call.
func (f *fake) answer() {
	lies := func(about string) bool { return f.lies == about }
	if lies("killed in " + f.head.Op) {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // and nothing is said any more
		}
		time.Sleep(time.Hour)
	}
	switch f.head.Op {
	case "hello":
		version, vocab := 1, 9
		if lies("version") {
			version = 2
		}
		if lies("vocabulary") {
			vocab = 0
		}
		f.say(fmt.Sprintf(`"ok":{"version":%d,"torch":"2.15.0+cpu","transformers":"5","device":"cpu","dtype":"f32","vocab":%d,"window":64,"hidden":4,"modules":%s}`, version, vocab, modules))
	case "look":
		f.say(`"ok":{"python":"3.11","torch":"2.15","transformers":"","devices":[{"name":"cpu","title":"x","memory":8,"free":4,"products":[{"dtype":"f32","size":8,"flops":2,"failed":""}]}]}`)
	case "sample":
		f.sample(lies)
	case "forward", "forward_backward":
		f.score(lies)
	case "load":
		f.values = map[string]int{}
		for i, name := range f.head.Params {
			f.values[name] = len(f.raw[i]) / 4
		}
		f.say(`"ok":{}`)
	case "save":
		var out []any
		for name, n := range f.values {
			for _, kind := range []string{"w.", "m.", "v."} {
				x := make([]float64, n)
				if lies("saved NaN") {
					x[0] = math.NaN()
				}
				if lies("saved shape") {
					x = x[1:]
				}
				out = append(out, kind+name, x)
			}
		}
		f.say(`"ok":{"step":1}`, out...)
	case "step":
		norm := "1"
		if lies("norm") {
			norm = `"large"`
		}
		f.say(`"ok":{"grad_norm":` + norm + `}`)
	default:
		f.say(`"ok":{}`)
	}
}

func (f *fake) sample(lies func(string) bool) {
	for i, r := range f.head.Requests {
		for n := range r.Most {
			row, token, logprob := float64(i), float64(1+n%3), -1.0
			switch {
			case lies("token"):
				token = 9
			case lies("token below 0"):
				token = -1
			case lies("sampled NaN"):
				logprob = math.NaN()
			case lies("probability"):
				logprob = 1
			case lies("request"):
				row = 7
			}
			drawn := []float64{token}
			if lies("burst") {
				drawn = nil
			}
			f.say(`"burst":true`, "rows", []float64{row}, "drawn", drawn, "logprobs", []float64{logprob})
			if lies("end") {
				break
			}
		}
		if lies("behind the end") {
			f.say(`"burst":true`, "rows", []float64{float64(i)}, "drawn", []float64{1}, "logprobs", []float64{-1})
		}
	}
	f.say(`"ok":{"computed":3}`)
}

func (f *fake) score(lies func(string) bool) {
	var logprobs, values []float64
	for _, d := range f.head.Data {
		for range d.Asked {
			logprobs = append(logprobs, -1)
		}
		if d.Values {
			values = append(values, make([]float64, d.Asked+1)...)
		}
	}
	if lies("scored NaN") {
		logprobs[0] = math.NaN()
	}
	if lies("too few") {
		logprobs = logprobs[1:]
	}
	if f.head.Op == "forward" {
		f.say(`"ok":{}`, "logprobs", logprobs, "values", values)
		return
	}
	if lies("no outputs") {
		f.say(`"ok":{}`)
		return
	}
	f.say(`"more":true`, "logprobs", logprobs, "values", values)
	if lies("twice") {
		f.say(`"more":true`, "logprobs", logprobs, "values", values)
	}
	if lies("dies in between") || !f.read() {
		os.Exit(0)
	}
	if f.head.Cancel {
		f.say(`"error":{"kind":"cancelled","message":"cancelled"}`)
		return
	}
	f.say(`"ok":{}`)
}

// atEnd is called behind all tests.
var atEnd []func()

func TestMain(m *testing.M) {
	lies, is := os.LookupEnv("PARLEY_TEST_FAKE")
	if !is {
		code := m.Run()
		for _, f := range atEnd {
			f()
		}
		os.Exit(code)
	}
	fmt.Fprintln(os.Stderr, "last words")
	f := &fake{in: bufio.NewReader(os.Stdin), lies: lies}
	for f.read() {
		if f.head.Op != "" {
			f.answer()
		}
	}
}

// openFake opens an engine over fakes that lie about something.
func openFake(t *testing.T, workers int, lies string) (*Engine, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var commands []*exec.Cmd
	for range workers {
		c := exec.Command(self)
		c.Env = append(os.Environ(), "PARLEY_TEST_FAKE="+lies)
		commands = append(commands, c)
	}
	e, err := open(t.Context(), Options{Timeout: 20 * time.Second}, commands, make([]string, workers))
	if err == nil {
		t.Cleanup(func() { e.Close() })
	}
	return e, err
}

// everything calls what an engine has, and returns the first error.
func everything(t *testing.T, e *Engine) error {
	steps := []func() error{
		func() error {
			return e.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 2, Alpha: 2, ValueHead: true})
		},
		func() error {
			got, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: []int{1}, MaxTokens: 3}, {Policy: "p", Prompt: []int{1}, MaxTokens: 4, Stop: []int{4}}})
			if err == nil && (len(got) != 2 || len(got[1].Tokens) != 4) {
				err = fmt.Errorf("samples %v", got)
			}
			return err
		},
		func() error {
			_, err := e.Forward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3}, ScoreFrom: 1}, {Tokens: []int{1, 2}, ScoreFrom: 1}})
			return err
		},
		func() error {
			return e.ForwardBackward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3}, ScoreFrom: 1}}, func(int, []engine.Output) ([]engine.Gradient, error) {
				return []engine.Gradient{{Logprobs: []float32{1, 1}}}, nil
			})
		},
		func() error {
			_, err := e.Step(t.Context(), "p", engine.Adam{LR: 1, Eps: 1})
			return err
		},
		func() error { return e.Save(t.Context(), "p", t.TempDir()+"/p") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return e.Drop("p")
}

// TestFakes: a worker that answers well is believed; one that lies about anything is an error that says what and where.
func TestFakes(t *testing.T) {
	for lies, says := range map[string]string{
		"": "", "version": "speaks version 2 of the pipe", "vocabulary": "a vocabulary of 0",
		"token": "sample: token 9 is not in the vocabulary of 9", "token below 0": "token -1 is not", "probability": "has the log-probability 1",
		"request": "a token for request 7 of 2", "burst": "tensor drawn has 0 elements, not 1", "end": "at none that ends it", "behind the end": "behind the end of request 0",
		"sampled NaN": "not finite", "scored NaN": "not finite", "too few": "forward: tensor logprobs has 2 elements, not 3",
		"no outputs": "before it has those of outputs", "twice": "where it was asked for outputs and gradients", "dies in between": "forward_backward: it ended",
		"norm": "step", "saved NaN": "not finite", "saved shape": "save: tensor w.",
	} {
		t.Run("lies about "+lies, func(t *testing.T) {
			t.Parallel()
			e, err := openFake(t, 1, lies)
			if err == nil {
				err = everything(t, e)
			}
			if says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Fatalf("%v does not say %q", err, says)
			}
			if strings.HasSuffix(lies, "NaN") != errors.Is(err, engine.ErrNotFinite) {
				t.Errorf("%v: is it that a number is not finite?", err)
			}
		})
	}
}

// TestKilled: a worker that is killed within a call is an error that names the call, and so is every later call.
func TestKilled(t *testing.T) {
	for _, op := range []string{"hello", "load", "sample", "forward", "forward_backward", "keep", "step", "save", "drop"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			e, err := openFake(t, 1, "killed in "+op)
			if err == nil {
				err = everything(t, e)
			}
			if err == nil || !strings.Contains(err.Error(), "torch worker, "+op+": it ended") || !strings.Contains(err.Error(), "last words") {
				t.Fatalf("%v does not name the call", err)
			}
			if e != nil {
				if _, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: []int{1}, MaxTokens: 1}}); err == nil || !strings.Contains(err.Error(), op) {
					t.Errorf("a later call: %v", err)
				}
			}
		})
	}
}

// TestSeveralFakes: calls are shared out among workers.
func TestSeveralFakes(t *testing.T) {
	e, err := openFake(t, 3, "")
	if err != nil {
		t.Fatal(err)
	}
	var data []engine.Datum
	var reqs []engine.SampleRequest
	for i := range 7 {
		data = append(data, engine.Datum{Tokens: slices.Repeat([]int{3}, 2+i), ScoreFrom: 1})
		reqs = append(reqs, engine.SampleRequest{Prompt: []int{1}, MaxTokens: i})
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		if len(out[i].Logprobs) != i+1 || len(samples[i].Tokens) != i {
			t.Errorf("datum %d has %d log-probabilities, sample %d %d tokens", i, len(out[i].Logprobs), i, len(samples[i].Tokens))
		}
	}
}

// TestTargets: routers are adapted only where they are named, and first values do not depend on what else is adapted.
func TestTargets(t *testing.T) {
	e, err := openFake(t, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	for want, targets := range map[int][]string{1: nil, 2: {"q_proj", "gate"}} {
		p, err := e.specified(engine.PolicySpec{Rank: 2, Alpha: 2, Targets: targets})
		if err != nil || len(p.scales) != want {
			t.Errorf("targets %v adapt %v, %v", targets, p.scales, err)
		}
	}
	if _, err := e.specified(engine.PolicySpec{Full: true}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// TestOptions: what the engine does not have is refused before anything starts.
func TestOptions(t *testing.T) {
	for says, o := range map[string]Options{
		"memory 2": {Memory: 2}, "below 0": {Timeout: -1},
		"engine.torch.python": {Python: "no-such-python"},
	} {
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v does not say %q", o, err, says)
		}
	}
	if _, err := Look(t.Context(), Options{Python: "no-such-python"}); err == nil || !strings.Contains(err.Error(), "engine.torch.python") {
		t.Error(err)
	}
}
