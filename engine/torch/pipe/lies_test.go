package pipe

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley/engine"
)

// A role is what the test's own program does as a worker: it answers a call of the given id.
type role func(out io.Writer, id int)

func say(out io.Writer, head string, data ...byte) {
	_, _ = out.Write(append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...), data...)) // who reads may be gone
}

// liars are workers that do not keep to the protocol, and what is said of each.
var liars = []struct {
	name string
	role role
	says string
}{
	{"dies at once", func(io.Writer, int) {}, "it ended"},
	{"half a length", func(out io.Writer, _ int) { _, _ = out.Write([]byte{3, 0}) }, "no frame"},
	{"half a head", func(out io.Writer, _ int) { _, _ = out.Write([]byte("\x40\x00\x00\x00{\"id\":")) }, "a head of 64 bytes"},
	{"huge head", func(out io.Writer, _ int) { _, _ = out.Write([]byte("\xff\xff\xff\xff{}")) }, "a head of 4294967295 bytes"},
	{"garbage on stdout", func(out io.Writer, _ int) { fmt.Fprintln(out, "Loading checkpoint shards: 100%") }, "a head of"},
	{"no JSON", func(out io.Writer, _ int) { say(out, "hello") }, `the head "hello"`},
	{"a list", func(out io.Writer, _ int) { say(out, "[1]") }, `the head "[1]"`},
	{"no id", func(out io.Writer, _ int) { say(out, `{"ok":{}}`) }, "another call"},
	{"another id", func(out io.Writer, id int) { say(out, fmt.Sprintf(`{"id":%d,"ok":{}}`, id+1)) }, "another call"},
	{"an id that is none", func(out io.Writer, _ int) { say(out, `{"id":"one","ok":{}}`) }, "the answer"},
	{"neither answer nor error", func(out io.Writer, id int) { say(out, fmt.Sprintf(`{"id":%d}`, id)) }, "which is no answer"},
	{"more of nothing", func(out io.Writer, id int) { say(out, fmt.Sprintf(`{"id":%d,"more":true}`, id)) }, "which is no answer"},
	{"an unknown kind of error", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"error":{"kind":"odd","message":"m"}}`, id))
	}, `kind "odd"`},
	{"half a tensor", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"ok":{},"tensors":[{"name":"x","dtype":"f32","shape":[2]}]}`, id), 0, 0, 0, 0)
	}, `tensor "x"`},
	{"a huge tensor", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"ok":{},"tensors":[{"name":"x","dtype":"f32","shape":[1000000,1000000]}]}`, id))
	}, `tensor "x"`},
	{"a tensor said to be large", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"ok":{},"tensors":[{"name":"x","dtype":"f32","shape":[4000,1000000]}]}`, id))
	}, `tensor "x"`},
	{"a negative tensor", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"ok":{},"tensors":[{"name":"x","dtype":"f32","shape":[-1]}]}`, id))
	}, "of shape"},
	{"a tensor of a strange type", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"ok":{},"tensors":[{"name":"x","dtype":"f8","shape":[1]}]}`, id), 0)
	}, "of type"},
	{"an error of the device", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"error":{"kind":"device","message":"CUDA error"}}`, id))
	}, "CUDA error"},
	{"silence", func(io.Writer, int) { time.Sleep(time.Hour) }, "it says nothing for 300ms"},
	{"alive and then silence", func(out io.Writer, id int) {
		say(out, fmt.Sprintf(`{"id":%d,"alive":true}`, id))
		time.Sleep(time.Hour)
	}, "it says nothing for 300ms"},
}

// honest are workers that answer: with results, and with errors after which they go on.
var honest = []struct {
	name, head string
	is         error
}{
	{"result", `{"id":%d,"ok":{"n":1}}`, nil},
	{"refusal", `{"id":%d,"error":{"kind":"refused","message":"no such thing"}}`, errors.ErrUnsupported},
	{"not finite", `{"id":%d,"error":{"kind":"not finite","message":"a norm"}}`, engine.ErrNotFinite},
	{"bad", `{"id":%d,"error":{"kind":"bad","message":"no policy"}}`, errors.New("no policy")},
	{"memory", `{"id":%d,"error":{"kind":"memory","message":"4 GB are free"}}`, errors.New("engine.torch.dtype")},
}

// TestMain is the worker where the environment says so: it reads frames, and plays its role for each that has an op.
func TestMain(m *testing.M) {
	name := os.Getenv("PARLEY_TEST_WORKER")
	if name == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, "the last words of", name)
	in := bufio.NewReader(os.Stdin)
	for id := 1; ; {
		f, err := readFrame(in)
		if err != nil {
			return
		}
		if !strings.Contains(string(f.Head), `"op"`) {
			if strings.Contains(string(f.Head), `"cancel"`) && name == "slow" {
				say(os.Stdout, fmt.Sprintf(`{"id":%d,"error":{"kind":"cancelled","message":"cancelled"}}`, id-1))
			}
			continue
		}
		play(name, id)
		id++
	}
}

func play(name string, id int) {
	for _, l := range liars {
		if l.name == name {
			l.role(os.Stdout, id)
			os.Exit(0)
		}
	}
	for _, h := range honest {
		if h.name == name {
			say(os.Stdout, fmt.Sprintf(h.head, id))
		}
	}
	if name == "bursts" {
		say(os.Stdout, fmt.Sprintf(`{"id":%d,"burst":true,"tensors":[{"name":"x","dtype":"i32","shape":[1]}]}`, id), 7, 0, 0, 0)
		say(os.Stdout, fmt.Sprintf(`{"id":%d,"ok":{}}`, id))
	}
	if name == "deaf" {
		time.Sleep(time.Hour)
	}
}

func worker(t *testing.T, name string) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "PARLEY_TEST_WORKER="+name)
	patience := 20 * time.Second
	if strings.Contains(name, "silence") || name == "deaf" {
		patience = 300 * time.Millisecond
	}
	p, err := Start(c, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestLiars: what cannot be believed is an error that names the call, says why, and shows the end of stderr. The worker is not asked again.
func TestLiars(t *testing.T) {
	if len(liars) < 20 {
		t.Errorf("%d liars", len(liars))
	}
	for _, l := range liars {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			p := worker(t, l.name)
			_, err := p.Call(t.Context(), Request{Op: "forward", Tensors: []Tensor{Ints("tokens", []int{1, 2})}})
			if err == nil {
				t.Fatal("it was believed")
			}
			for _, want := range []string{"torch worker, forward: ", l.says, "the last words of " + l.name} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
			if _, again := p.Call(t.Context(), Request{Op: "step"}); again == nil || again.Error() != err.Error() {
				t.Errorf("a later call says %v", again)
			}
		})
	}
}

// TestHonest: errors that a worker says are of their kind, and it goes on.
func TestHonest(t *testing.T) {
	for _, h := range honest {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := worker(t, h.name)
			for range 2 {
				f, err := p.Call(t.Context(), Request{Op: "step"})
				switch {
				case h.is == nil && (err != nil || string(f.Head) != `{"n":1}`):
					t.Errorf("%v, %v", f, err)
				case h.is != nil && !errors.Is(err, h.is) && (err == nil || !strings.Contains(err.Error(), h.is.Error())):
					t.Errorf("%v is not %v", err, h.is)
				}
			}
		})
	}
}

// TestCancelled: a call that is cancelled ends at once, whether its worker listens or not; the worker that does is asked again.
func TestCancelled(t *testing.T) {
	for _, name := range []string{"slow", "deaf to cancelling"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := worker(t, name)
			for range 2 {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(50*time.Millisecond, cancel)
				done := make(chan error, 1)
				go func() {
					_, err := p.Call(ctx, Request{Op: "forward"})
					done <- err
				}()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
}

// TestDeaf: a worker that does not read is given up.
func TestDeaf(t *testing.T) {
	p := worker(t, "deaf")
	_, err := p.Call(t.Context(), Request{Op: "load", Tensors: []Tensor{Floats("w", make([]float32, 1<<22))}})
	if err == nil {
		_, err = p.Call(t.Context(), Request{Op: "load", Tensors: []Tensor{Floats("w", make([]float32, 1<<22))}})
	}
	if err == nil || !strings.Contains(err.Error(), "nothing for 300ms") {
		t.Error(err)
	}
}

// TestDuring: what comes before the answer is handed out, and an error about it ends the call.
func TestDuring(t *testing.T) {
	p := worker(t, "bursts")
	heard := 0
	take := func(a Answer, f *Frame, _ func(map[string]any, ...Tensor) error) error {
		x, err := f.Ints("x", 1)
		if err == nil {
			heard += x[0]
		}
		return err
	}
	if _, err := p.Call(t.Context(), Request{Op: "sample", During: take}); err != nil || heard != 7 {
		t.Errorf("%d, %v", heard, err)
	}
	for what, wrong := range map[string]func(f *Frame) error{
		"missing":    func(f *Frame) error { _, err := f.Ints("y", 1); return err },
		"2 elements": func(f *Frame) error { _, err := f.Ints("x", 3); return err },
		"not f32":    func(f *Frame) error { _, err := f.Floats("x", 1); return err },
	} {
		p := worker(t, "bursts")
		_, err := p.Call(t.Context(), Request{Op: "sample", During: func(_ Answer, f *Frame, _ func(map[string]any, ...Tensor) error) error { return wrong(f) }})
		if err == nil || !strings.Contains(err.Error(), "tensor") || p.failure() == nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestClosed: a closed worker is gone, and says so.
func TestClosed(t *testing.T) {
	for _, name := range []string{"result", "deaf"} {
		p := worker(t, name)
		p.Close()
		p.Close()
		if p.cmd.ProcessState == nil {
			t.Errorf("%s is still there", name)
		}
		if _, err := p.Call(t.Context(), Request{Op: "step"}); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	}
}
