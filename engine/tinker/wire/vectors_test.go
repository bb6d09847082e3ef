package wire

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A vector is a message of the shared file: what its bytes say.
type vector struct {
	ID, Message, Hex string
	Decoded          json.RawMessage
}

// vectors reads tinker.json from the folder that PARLEY_VECTORS names, or else the copy of a part of it.
func vectors(t testing.TB) (file struct {
	Messages []vector `json:"protobuf_vectors"`
	Results  []struct {
		Type string `json:"request_type"`
		Body json.RawMessage
	} `json:"json_results_accepted"`
	Bodies []struct {
		Endpoint string
		SDK      []string
		Body     any
	} `json:"json_request_bodies"`
},
) {
	t.Helper()
	dir := os.Getenv("PARLEY_VECTORS")
	if dir == "" {
		dir = "testdata"
	}
	data, err := os.ReadFile(filepath.Join(dir, "tinker.json"))
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || len(file.Messages) == 0 || len(file.Results) == 0 || len(file.Bodies) == 0 {
		t.Fatalf("%d messages, %d results, %d bodies, %v", len(file.Messages), len(file.Results), len(file.Bodies), err)
	}
	return file
}

func (v *vector) bytes(t testing.TB) []byte {
	t.Helper()
	data, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var dtypeNames = map[DType]string{Float32: "FLOAT32", Int64: "INT64", Int32: "INT32", BFloat16: "BFLOAT16"}

// plain is a tensor as the file has them.
func (t *Tensor) plain() map[string]any {
	out := map[string]any{"dtype": dtypeNames[t.DType]}
	if t.Shape != nil {
		out["shape"] = t.Shape
	}
	elements := any(t.Floats)
	if t.Floats == nil {
		elements = t.Ints
	}
	if t.Rows != nil {
		out["sparse_csr"] = map[string]any{"values": elements, "crow_indices": t.Rows, "col_indices": t.Cols}
	} else {
		out["dense"] = elements
	}
	return out
}

func (p *Pass) plain() any {
	data := []any{}
	for _, d := range p.Data {
		inputs := map[string]any{}
		for name, t := range d.Inputs {
			inputs[name] = t.plain()
		}
		chunks := []any{}
		if d.Tokens != nil {
			chunks = append(chunks, map[string]any{"encoded_text": map[string]any{"tokens": d.Tokens}})
		}
		data = append(data, map[string]any{"model_input": chunks, "loss_fn_inputs": inputs})
	}
	return map[string]any{"model_id": p.Model, "seq_id": p.Seq, "loss_fn": p.Loss, "loss_fn_config": p.Config, "forward_only": p.ForwardOnly, "data": data}
}

// plainData are the data of an output.
func (o *Output) plain() any {
	data := []any{}
	for _, d := range o.Data {
		fields := map[string]any{}
		for name, t := range d {
			one := t.plain()
			fields[name] = map[string]any{"shape": t.Shape, "data": one["dense"]}
		}
		data = append(data, fields)
	}
	return map[string]any{"loss_fn_output_type": o.Type, "metrics": o.Metrics, "datums": data}
}

func (s *Sample) plain() any {
	sequences := []any{}
	for _, q := range s.Sequences {
		one := map[string]any{"stop_reason": []string{"STOP", "LENGTH"}[q.Stop], "tokens": append([]int{}, q.Tokens...)}
		if q.Logprobs != nil {
			one["logprobs"] = q.Logprobs
		}
		sequences = append(sequences, one)
	}
	out := map[string]any{"sequences": sequences}
	if s.Prompt != nil {
		out["prompt_logprobs"] = withNull(s.Prompt)
	}
	return out
}

func withNull(x []float32) []any {
	out := make([]any, len(x))
	for i, v := range x {
		if !math.IsNaN(float64(v)) {
			out[i] = v
		}
	}
	return out
}

// notRead are parts of messages that the client has no use for, and skips.
var notRead = []string{"loss_fn_outputs", "unknown_fields", "loss_fn_config_v2", "model_input_spans", "loss_fn_inputs_spans", "prompt_cache_hit_tokens", "topk_prompt_logprobs", "topk_sampled_logprobs", "prompt_alt_tokens", "target_prompt_logprobs"}

// same compares a message with what the file says of it, but for what is not read.
func same(t *testing.T, got any, want json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w any
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if w = without(w); !reflect.DeepEqual(without(g), w) {
		t.Errorf("got  %v\nwant %v", g, w)
	}
}

func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			if slices.Contains(notRead, key) || strings.HasSuffix(key, "_spans") {
				delete(v, key)
				continue
			}
			v[key] = without(x)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}

// TestVectors reads every message of the shared file, and writes it so that it says the same.
func TestVectors(t *testing.T) {
	file := vectors(t)
	for _, v := range file.Messages {
		t.Run(v.ID, func(t *testing.T) {
			switch data := v.bytes(t); v.Message {
			case "ForwardBackwardRequest":
				passVector(t, v, data)
			case "ForwardBackwardOutput":
				o, err := DecodeOutput(data)
				if err != nil {
					t.Fatal(err)
				}
				same(t, o.plain(), v.Decoded)
			case "SampleResponse":
				s, err := DecodeSample(data)
				if err != nil {
					t.Fatal(err)
				}
				same(t, s.plain(), v.Decoded)
				again, err := DecodeSample(s.Encode())
				if err != nil {
					t.Fatal(err)
				}
				same(t, again.plain(), v.Decoded)
			default:
				t.Errorf("there is no message %s here", v.Message)
			}
		})
	}
}

// passVector checks a request for a pass. Images, sound and texts in the configuration of a loss are refused.
func passVector(t *testing.T, v vector, data []byte) {
	t.Helper()
	p, err := DecodePass(data)
	if other := strings.Contains(string(v.Decoded), `"image"`) || strings.Contains(string(v.Decoded), `"dmel"`) || strings.Contains(v.ID, "string_config"); other != (err != nil) {
		t.Fatalf("error %v", err)
	} else if other {
		return
	}
	same(t, p.plain(), v.Decoded)
	again, err := DecodePass(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	same(t, again.plain(), v.Decoded)
}

// TestResults reads the results in JSON that the protocol's own client takes.
func TestResults(t *testing.T) {
	for _, r := range vectors(t).Results {
		switch r.Type {
		case "ForwardBackward":
			o, err := DecodeOutputJSON(r.Body)
			if err != nil || len(o.Data) != 1 || !slices.Equal(o.Data[0]["logprobs"].Floats, []float32{-0.5, -0.5}) || o.Metrics["loss:sum"] != 1.5 {
				t.Errorf("%s: %+v, %v", r.Body, o, err)
			}
		case "Sample":
			s, err := DecodeSampleJSON(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			same(t, s.plain(), json.RawMessage(`{"sequences":[{"stop_reason":"LENGTH","tokens":[7,8],"logprobs":[-0.25,-1]}],"prompt_logprobs":[null,-1,-2]}`))
		default:
			var reply Reply
			if err := json.Unmarshal(r.Body, &reply); err != nil || reply.Model == "" && reply.Path == "" && reply.Sampling == "" && len(reply.Metrics) == 0 {
				t.Errorf("%s: %+v, %v", r.Body, reply, err)
			}
		}
	}
}

// TestBodies compares what is sent with bodies of the protocol's own client, whose fields every server takes: none is of another name or
// kind, and none that a server may miss is left out.
func TestBodies(t *testing.T) {
	ours := map[string][]any{
		"client/config":            {Config{}},
		"create_session":           {Session{Tags: []string{}, Metadata: map[string]any{}}},
		"session_heartbeat":        {InSession{}},
		"create_model":             {CreateModel{}},
		"get_info":                 {OfModel{}},
		"optim_step":               {Step{}},
		"save_weights":             {Save{}},
		"save_weights_for_sampler": {Save{}, SaveToSample{}},
		"load_weights":             {Load{}},
		"create_sampling_session":  {CreateSampling{Base: "x"}},
		"asample":                  {Draw{Prompt: TextOf([]int{1}), Params: SamplingParams{Stop: []int{1}}}},
		"retrieve_future":          {Retrieve{}},
	}
	optional := []string{"overwrite", "stop", "seed"} // seeds and stops are always sent
	for _, b := range vectors(t).Bodies {
		all := ours[b.Endpoint]
		if len(all) == 0 || !slices.Contains(b.SDK, "0.25.0") {
			continue
		}
		fits := false
		for _, one := range all {
			text, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			var sent any
			if err := json.Unmarshal(text, &sent); err != nil {
				t.Fatal(err)
			}
			fits = fits || sameKeys(sent, b.Body, optional)
		}
		if _, flowB := b.Body.(map[string]any)["session_id"]; !fits && !(b.Endpoint == "load_weights" && flowB) {
			t.Errorf("%s sends %v; it is not one of %+v", b.Endpoint, b.Body, all)
		}
	}
}

func sameKeys(a, b any, optional []string) bool {
	x, isMap := a.(map[string]any)
	y, isMap2 := b.(map[string]any)
	if !isMap || !isMap2 {
		return isMap == isMap2
	}
	for key := range x {
		if other, has := y[key]; !slices.Contains(optional, key) && (!has || !sameKeys(x[key], other, optional)) {
			return false
		}
	}
	for key := range y {
		if _, has := x[key]; !has && !slices.Contains(optional, key) {
			return false
		}
	}
	return true
}
