package tinker

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"parley/engine/tinker/wire"
)

// A trace is what the official client and a server that recorded it said to each other.
type trace struct {
	Name string `json:"name"`
	IDs  []struct {
		Value    string `json:"value"`
		Exchange int    `json:"exchange"`
		Pointer  string `json:"pointer"`
	} `json:"ids"`
	Exchanges []exchange `json:"exchanges"`
}

type exchange struct {
	N       int               `json:"n"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
	Proto   *struct {
		Hex string `json:"hex"`
	} `json:"proto"`
	Fault    bool           `json:"fault"` // the answer was made wrong on purpose
	Status   int            `json:"status"`
	Response map[string]any `json:"response"`
	Result   *struct {
		Message string `json:"message"`
		Hex     string `json:"hex"`
	} `json:"response_proto"`
}

// notOffered are routes of features that the server's client/config leaves off, or that only the hosted service has.
var notOffered = []string{"auth/token", "create_custom_loss", "retrieve_futures", "trace_export", "copy_weights", "audit", "billing"}

// refusedHere are words of failures where the recording server, which computes nothing, had a result.
var refusedHere = []string{"there is no loss", "only text is understood", "are not given here", "ppo does not read", "loss_fn_inputs has no", "is a text"}

// TestVectorsTraces says to the server what the official client said to the recording one: it is answered in the same form.
func TestVectorsTraces(t *testing.T) {
	dir := os.Getenv("PARLEY_VECTORS")
	if dir == "" {
		dir = "testdata"
	}
	data, err := os.ReadFile(filepath.Join(dir, "tinker-sdk-traces.json"))
	var file struct {
		Scenarios []trace `json:"scenarios"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || len(file.Scenarios) == 0 {
		t.Fatalf("%d scenarios, %v", len(file.Scenarios), err)
	}
	for _, one := range file.Scenarios {
		t.Run(one.Name, func(t *testing.T) {
			o := quick()
			o.Hold, o.Patience = 300*time.Millisecond, time.Minute
			_, c := startServer(t, folder(t), o)
			c.TB = t
			r := &replay{client: c, trace: one, ours: map[string]string{}, refused: map[string]bool{}}
			for i := range one.Exchanges {
				r.exchange(&one.Exchanges[i])
			}
			for _, e := range r.early { // pieces of a batch were asked for before the first one came
				r.exchange(e)
			}
		})
	}
}

// A replay is one of a trace.
type replay struct {
	*client
	trace   trace
	ours    map[string]string // what the server calls things, by the names of the recording one
	refused map[string]bool   // names of things that the server did not make
	early   []*exchange       // questions about results that were not there yet
}

func (r *replay) exchange(e *exchange) {
	r.Helper()
	path := strings.TrimPrefix(e.Path, prefix)
	if r.unmade(e) {
		r.skipIDs(e.N)
		return
	}
	if body, is := e.Body.(map[string]any); is && path == "retrieve_future" && r.ours[fmt.Sprint(body["request_id"])] == "" {
		return // of an answer that was made wrong on purpose, and that has no such name here
	}
	status, data, header := r.send(e, path)
	at := fmt.Sprintf("exchange %d, %s %s", e.N, e.Method, path)
	if slices.ContainsFunc(notOffered, func(part string) bool { return strings.Contains(path, part) }) {
		if status != http.StatusNotFound {
			r.Errorf("%s: %d %s, is not offered", at, status, data)
		}
		r.skipIDs(e.N)
		return
	}
	var out map[string]any
	if strings.Contains(header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(data, &out); err != nil {
			r.Errorf("%s: %q: %v", at, data, err)
		}
	}
	if status >= 500 {
		r.Errorf("%s: %d %s", at, status, data)
	}
	r.learn(e.N, out)
	if words, failed := out["error"].(string); failed && !e.Fault {
		if !slices.ContainsFunc(refusedHere, func(w string) bool { return strings.Contains(words, w) }) {
			r.Errorf("%s: %s", at, words)
		}
		return
	}
	later := e.Response["type"] == "try_again" || e.Response["status"] == "complete_metadata"
	if e.Fault || e.Status == http.StatusNotFound || e.Status == http.StatusRequestTimeout || later {
		return // the server has nothing to be asked again for, and does not answer wrong
	}
	if status == http.StatusRequestTimeout && !slices.Contains(r.early, e) {
		r.early = append(r.early, e)
		return
	}
	if status != e.Status && !(status == http.StatusGone && path == "session_heartbeat") {
		r.Errorf("%s: %d %.300s, recorded %d", at, status, data, e.Status)
		return
	}
	if e.Result != nil {
		r.sameResult(at, e, data)
		return
	}
	if path == "client/config" {
		return // it is the server's to say
	}
	if problem := form(out, e.Response); problem != "" {
		r.Errorf("%s: %s: %.300s, recorded %v", at, problem, data, e.Response)
	}
}

// unmade reports whether a request is about something that was refused.
func (r *replay) unmade(e *exchange) bool {
	text, err := json.Marshal([]any{e.Body, e.Path})
	if err != nil {
		r.Fatal(err)
	}
	for id := range r.refused {
		if strings.Contains(string(text), strconv.Quote(id)) || strings.HasSuffix(e.Path, "/"+id) {
			return true
		}
	}
	return false
}

func (r *replay) skipIDs(n int) {
	for _, id := range r.trace.IDs {
		if _, known := r.ours[id.Value]; id.Exchange == n && !known {
			r.refused[id.Value] = true
		}
	}
}

// learn notes what the server calls what came into being.
func (r *replay) learn(n int, out map[string]any) {
	r.Helper()
	for _, id := range r.trace.IDs {
		if id.Exchange != n {
			continue
		}
		var at any = out
		for _, key := range strings.Split(strings.TrimPrefix(id.Pointer, "/"), "/") {
			switch v := at.(type) {
			case map[string]any:
				at = v[key]
			case []any:
				if i, err := strconv.Atoi(key); err == nil && i < len(v) {
					at = v[i]
				}
			}
		}
		if name, is := at.(string); is {
			r.ours[id.Value] = name
		} else {
			r.refused[id.Value] = true
		}
	}
}

// rename puts the server's names in the place of the recorded ones, the longest first.
func (r *replay) rename(text string) string {
	names := make([]string, 0, len(r.ours))
	for name := range r.ours {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, name, r.ours[name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (r *replay) send(e *exchange, path string) (int, []byte, http.Header) {
	r.Helper()
	var body []byte
	switch {
	case e.Proto != nil:
		body = r.renamePass(e.Proto.Hex)
	case e.Body != nil:
		text, err := json.Marshal(e.Body)
		if err != nil {
			r.Fatal(err)
		}
		body = []byte(r.rename(string(text)))
	}
	request, err := http.NewRequest(e.Method, r.url+prefix+r.rename(path), nil)
	if err != nil {
		r.Fatal(err)
	}
	query := url.Values{}
	for key, value := range e.Query {
		query.Set(key, value)
	}
	request.URL.RawQuery = query.Encode()
	for key, value := range e.Headers {
		request.Header.Set(key, value)
	}
	if strings.Contains(request.Header.Get("Content-Encoding"), "zstd") {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			r.Fatal(err)
		}
		body = z.EncodeAll(body, nil)
	}
	return r.doRequest(request, body)
}

// renamePass puts the server's name of the model in the place of the recorded one: it is the first field.
func (r *replay) renamePass(text string) []byte {
	r.Helper()
	data, err := hex.DecodeString(text)
	if err != nil || len(data) < 2 || data[0] != 0x0a {
		r.Fatalf("%.20s: %v", text, err)
	}
	size, n := binary.Uvarint(data[1:])
	name := r.rename(string(data[1+n:][:size]))
	out := binary.AppendUvarint([]byte{0x0a}, uint64(len(name)))
	return append(append(out, name...), data[1+n+int(size):]...)
}

// sameResult compares the form of a result in protobuf.
func (r *replay) sameResult(at string, e *exchange, data []byte) {
	r.Helper()
	recorded, err := hex.DecodeString(e.Result.Hex)
	if err != nil {
		r.Fatal(err)
	}
	if e.Result.Message == "SampleResponse" {
		got, err := wire.DecodeSample(data)
		want, err2 := wire.DecodeSample(recorded)
		if err != nil || err2 != nil || len(got.Sequences) != len(want.Sequences) || len(got.Prompt) != len(want.Prompt) {
			r.Errorf("%s: %+v %v, recorded %+v %v", at, got, err, want, err2)
		}
		return
	}
	got, err := wire.DecodeOutput(data)
	want, err2 := wire.DecodeOutput(recorded)
	if err != nil || err2 != nil || len(got.Data) != len(want.Data) {
		r.Errorf("%s: %+v %v, recorded %+v %v", at, got, err, want, err2)
		return
	}
	for i := range want.Data {
		if a, b := got.Data[i]["logprobs"], want.Data[i]["logprobs"]; !slices.Equal(a.Shape, b.Shape) {
			r.Errorf("%s: datum %d has the shape %v, recorded %v", at, i, a.Shape, b.Shape)
		}
	}
	if _, has := got.Metrics["loss:sum"]; !has {
		r.Errorf("%s: metrics %v", at, got.Metrics)
	}
}

// form says how an answer differs in form from a recorded one: all that this has must be there, of the same kind.
func form(got, want map[string]any) string {
	for key, w := range want {
		g, has := got[key]
		if key == "model_path" && !has {
			continue // of what lives as long as its session
		}
		if !has {
			return "there is no " + key
		}
		if w == nil || g == nil {
			if (w == nil) != (g == nil) {
				return fmt.Sprintf("%s is %v", key, g)
			}
			continue
		}
		if fmt.Sprintf("%T", g) != fmt.Sprintf("%T", w) {
			return fmt.Sprintf("%s is a %T", key, g)
		}
		if w, is := w.(map[string]any); is && key != "metrics" && key != "user_metadata" {
			if problem := form(g.(map[string]any), w); problem != "" {
				return key + ": " + problem
			}
		}
	}
	return ""
}
