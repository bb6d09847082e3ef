package world

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/task"
	"parley/task/environment"
)

// A stage is a server that speaks the lines of OpenEnv over its own frames. What an agent says chooses how it answers.
type stage struct {
	t      *testing.T
	full   atomic.Int32      // connections that find no room
	told   map[string]string // the text that it answers to some words
	raw    map[string]string // the bytes
	resets chan string       // what it was told
	pongs  chan string       // how its pings were answered
	closed atomic.Int32      // episodes that said so
}

func frame(first byte, payload string) string {
	if n := len(payload); n > 125 {
		return string(binary.BigEndian.AppendUint64([]byte{first, 127}, uint64(n))) + payload
	}
	return string([]byte{first, byte(len(payload))}) + payload
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/world/ws" || r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, "no such world", http.StatusForbidden)
		return
	}
	conn, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.t.Error(err)
		return
	}
	defer conn.Close()
	proof := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(proof[:]))
	if s.full.Add(-1) >= 0 {
		fmt.Fprint(conn, frame(0x81, `{"type":"error","data":{"message":"1 of 1 taken","code":"CAPACITY_REACHED"}}`)+frame(0x88, "\x03\xe8"))
		s.read(both.Reader)
		s.read(both.Reader)
		return
	}
	s.play(conn, both.Reader)
}

func (s *stage) play(conn net.Conn, from *bufio.Reader) {
	for n := 0; ; {
		kind, payload := s.read(from)
		if kind == 0x8a {
			select {
			case s.pongs <- payload:
			default:
			}
			continue
		}
		var call struct {
			Type string
			Data struct {
				From    int
				Message string
			}
		}
		if kind != 0x81 || json.Unmarshal([]byte(payload), &call) != nil {
			return
		}
		said := call.Data.Message
		told := fmt.Sprintf(`{"type":"observation","data":{"observation":{"n":["%d"]},"reward":0.5,"done":%v}}`, n, said == "end")
		switch {
		case call.Type == "reset":
			s.resets <- payload
			n = call.Data.From - 1
			told = `{"type":"observation","data":{"observation":{"n":["1 episodes"]},"reward":null,"done":false}}`
		case call.Type == "close":
			s.closed.Add(1)
			fmt.Fprint(conn, frame(0x88, "\x03\xe8"))
			return
		case said == "hang":
			continue
		case s.raw[said] != "":
			fmt.Fprint(conn, s.raw[said])
			continue
		case s.told[said] != "":
			told = s.told[said]
		}
		n++
		fmt.Fprint(conn, frame(0x89, "there?")+frame(0x01, told[:2])+frame(0x8a, "")+frame(0x00, "")+frame(0x00, told[2:3])+frame(0x89, "")+frame(0x80, told[3:])+frame(0x89, "late?"))
	}
}

// read is a frame of a client's: its first byte, and what it says.
func (s *stage) read(from *bufio.Reader) (first byte, payload string) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, ""
	}
	n := int(head[1] & 127)
	if more := map[int]int{126: 2, 127: 8}[n]; more > 0 {
		size := make([]byte, 8)
		_, _ = io.ReadFull(from, size[8-more:])
		n = int(binary.BigEndian.Uint64(size))
	}
	data := make([]byte, 4+n)
	if _, err := io.ReadFull(from, data); err != nil || head[1] < 128 {
		s.t.Errorf("a frame %x, %v", head, err)
	}
	for i := range n {
		data[4+i] ^= data[i%4]
	}
	return head[0], string(data[4:])
}

func openStage(t *testing.T, s *stage, change func(*External)) *Stateful {
	t.Helper()
	s.t, s.resets, s.pongs = t, make(chan string, 100), make(chan string, 100)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	settings := External{OpenEnv: "ws" + strings.TrimPrefix(server.URL, "http") + "/world?x=1", Key: "secret", Action: "message", Observe: "n.0", Deadline: time.Second}
	change(&settings)
	return openStateful(t, settings)
}

// TestOpenEnv is a server that passes the suite of stateful sources; whatever it lies about ends that episode alone.
func TestOpenEnv(t *testing.T) {
	s := &stage{}
	observed := func(data string) string { return `{"type":"observation","data":` + data + `}` }
	s.told = map[string]string{
		"no data": `{"type":"observation"}`, "list": observed(`[]`), "type": `{"type":"state","data":{}}`, "text": `full`, "null": `null`, "nothing": observed(`{"reward":1}`),
		"reward": observed(`{"observation":{"n":["1"]},"reward":"1","done":false}`), "done": observed(`{"observation":{"n":["1"]},"reward":1,"done":1}`),
		"path": observed(`{"observation":{"m":1},"reward":1,"done":false}`), "short": observed(`{"observation":{"n":[]},"reward":1,"done":false}`),
		"half": observed(`{"observation":{"n":["\ud800"]}}`), "latin": observed("{\"observation\":{\"n\":[\"caf\xe9\"]}}"),
		"session": `{"type":"error","data":{"message":"gone","code":"SESSION_ERROR"}}`, "factory": `{"type":"error","data":{"message":"no","code":"FACTORY_ERROR"}}`,
		"code": `{"type":"error","data":{"message":"no"}}`, "number": `{"type":"error","data":{"message":3,"code":"VALIDATION_ERROR"}}`, "other": `{"type":"error","data":{"code":"NEW"}}`,
		"full": `{"type":"error","data":{"message":"later","code":"CAPACITY_REACHED"}}`,
	}
	s.raw = map[string]string{
		"big": frame(0x81, strings.Repeat("x", 2<<20)), "pieces": frame(0x01, strings.Repeat("x", 1<<19)) + frame(0x00, strings.Repeat("x", 1<<19)) + frame(0x80, "x"),
		"binary": frame(0x82, "x"), "again": frame(0x01, "x") + frame(0x81, "x"), "behind": frame(0x80, "x"), "packed": frame(0xc1, "x"), "masked": "\x81\x80abcd", "ping": frame(0x89, strings.Repeat("x", 126)),
		"part": frame(0x09, "x"), "twice": frame(0x81, `{"type":"observation","data":{"observation":{"n":["x"]},"reward":0.5}}`) + frame(0x81, "x"), "leave": frame(0x88, "\x03\xf3out of cards"), "leave at once": frame(0x88, ""), "below": "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
	}
	const none = "is no answer, expected"
	wrong := map[string]string{
		"no data": "has no n.0", "list": none, "type": none, "text": none, "null": none, "nothing": "has no n.0", "reward": `reward is "1"`, "done": `"done" is 1`,
		"path": `has no n.0, which task.environment.observe names: {"m":1}`, "short": "has no n.0", "half": "half", "latin": "not UTF-8",
		"session": "SESSION_ERROR: gone", "factory": "FACTORY_ERROR: no", "code": none, "number": none, "other": "NEW", "full": "CAPACITY_REACHED: later", "hang": "no answer within 1s",
		"big": "more than 1048576 bytes", "pieces": "more than 1048576 bytes", "binary": "kind 2", "again": "kind 1", "behind": "kind 0", "leave": "connection: out of cards", "leave at once": "closed the connection",
		"packed": "RFC 6455", "masked": "RFC 6455", "ping": "RFC 6455", "part": "RFC 6455", "below": "more than 1048576 bytes",
	}
	e := openStage(t, s, func(*External) {})
	playStateful(t, e, wrong)
	if s.closed.Load() < 2 {
		t.Errorf("%d episodes were closed", s.closed.Load())
	}
}

// TestOpenEnvReset: a reset gets the row without its id, a seed below 0 is refused, and a server without room is asked again, until the deadline.
func TestOpenEnvReset(t *testing.T) {
	s := &stage{}
	e := openStage(t, s, func(*External) {})
	reset := func(row string) error {
		_, err := e.Reset(t.Context(), task.Problem{Question: row})
		return err
	}
	s.full.Store(2)
	if err := reset(`{"id":"7","seed":0,"walls":[1]}`); err != nil {
		t.Error(err)
	}
	if got := <-s.resets; got != `{"data":{"seed":0,"walls":[1]},"type":"reset"}` {
		t.Errorf("reset gets %s", got)
	}
	for got := ""; got != "late?"; { // a ping that comes while nothing is asked
		got = <-s.pongs
	}
	for _, row := range []string{`{"seed":-1}`, `{"seed":"x"}`} {
		if err := reset(row); err == nil || !strings.Contains(err.Error(), "expected 0 or more") {
			t.Errorf("%s: %v", row, err)
		}
	}
	s.full.Store(1000)
	if err := reset(`{}`); err == nil || !strings.Contains(err.Error(), "CAPACITY_REACHED: 1 of 1 taken") {
		t.Error(err)
	}
}

// TestOpenEnvActions: words that are no action are an observation, and three in a row fail the episode.
func TestOpenEnvActions(t *testing.T) {
	s := &stage{told: map[string]string{
		"illegal": `{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[]}}`, "raise": `{"type":"error","data":{"message":"no such cell","code":"EXECUTION_ERROR"}}`,
	}}
	for action, write := range map[string]string{"message": "%s", "json": `{"message":%q}`} {
		e := openStage(t, s, func(x *External) { x.Action, x.Observe = action, "" })
		o, err := e.Reset(t.Context(), task.Problem{Question: `{"from":1}`})
		said := func(words string) {
			if err == nil {
				o, err = e.Step(t.Context(), o.State, map[string]string{"a": words})
			}
		}
		if want := "{\n  \"n\": [\n    \"1 episodes\"\n  ]\n}"; o.All != want {
			t.Errorf("%q, %v", o.All, err)
		}
		for _, words := range []string{"illegal", "raise", "go", "raise"} {
			said(fmt.Sprintf(write, words))
		}
		if err != nil || o.All != "ERROR: no such cell" || o.Team != 0 || !slices.Equal(environment.IllegalIn(o.Info), []string{"a"}) {
			t.Errorf("%+v, %v", o, err)
		}
		if said(`["illegal"]`); action == "json" && (err != nil || o.All != "ERROR: an action is a JSON object") {
			t.Errorf("%+v, %v", o, err)
		}
		said(fmt.Sprintf(write, "illegal"))
		if action == "message" { // the list was an action
			said("illegal")
			said("illegal")
		}
		if err == nil || !strings.Contains(err.Error(), "3 answers in a row were no action: VALIDATION_ERROR: Invalid message") {
			t.Errorf("%s: %+v, %v", action, o, err)
		}
	}
	e := openStage(t, s, func(*External) {})
	o, err := e.Reset(t.Context(), task.Problem{Question: `{}`})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), o.State, map[string]string{"a": "x", "b": "y"}); err == nil || !strings.Contains(err.Error(), "2 agents act at once") {
		t.Error(err)
	}
}

// TestOpenEnvDoor: a server that is none says so, and where it is asked is read from its address.
func TestOpenEnvDoor(t *testing.T) {
	s := &stage{}
	e := openStage(t, s, func(x *External) { x.Key = "wrong" })
	if _, err := e.Reset(t.Context(), task.Problem{Question: `{}`}); err == nil || !strings.Contains(err.Error(), "403 Forbidden: no such world") {
		t.Error(err)
	}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Upgrade", "websocket")
		w.WriteHeader(http.StatusSwitchingProtocols)
	}))
	defer plain.Close()
	e = openStage(t, s, func(x *External) { x.OpenEnv = plain.URL })
	if _, err := e.Reset(t.Context(), task.Problem{Question: `{}`}); err == nil || !strings.Contains(err.Error(), "no WebSocket") {
		t.Error(err)
	}
	got := map[string]string{}
	for _, address := range []string{"ws://a:1", "wss://a/", "http://a/b/ws", "https://a/b?c=d", "ftp://a", "a:1", "ws://"} {
		at, err := openEnvAddress(address)
		if err != nil {
			at = "refused"
		}
		got[address] = at
	}
	if want := map[string]string{
		"ws://a:1": "http://a:1/ws", "wss://a/": "https://a/ws", "http://a/b/ws": "http://a/b/ws", "https://a/b?c=d": "https://a/b/ws?c=d", "ftp://a": "refused", "a:1": "refused", "ws://": "refused",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// TestOpenEnvKeys: what is wrong with the keys is said before anything starts.
func TestOpenEnvKeys(t *testing.T) {
	good := Settings{Environment: Source{OpenEnv: "ws://a", Action: "message", Isolated: true, KeyEnv: "KEY"}, Path: "x", MaxReward: 1}
	in := task.Team{Agents: 2, Episodes: true, Actors: 1}
	for want, change := range map[string]func(s *Settings, in *task.Team){
		"":                             func(*Settings, *task.Team) {},
		"has 2 of name":                func(s *Settings, _ *task.Team) { s.Environment.URL = "http://x" },
		"expected an address":          func(s *Settings, _ *task.Team) { s.Environment.OpenEnv = "host:world" },
		"is empty, expected the key":   func(s *Settings, _ *task.Team) { s.Environment.Action = "" },
		"cannot branch":                func(_ *Settings, in *task.Team) { in.Episodes = false },
		"2 act in one step":            func(_ *Settings, in *task.Team) { in.Actors = 2 },
		"no effect without environmen": func(s *Settings, _ *task.Team) { s.Environment = Source{Name: "path", Observe: "x"} },
		"without environment.openenv":  func(s *Settings, _ *task.Team) { s.Environment = Source{Name: "path", Action: "json"} },
	} {
		s, in := good, in
		change(&s, &in)
		faults := s.check(in)
		if want == "" && len(faults) > 0 || want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Message, want)) {
			t.Errorf("%v, want %q", faults, want)
		}
	}
}
