// Package wire has the messages of the Tinker protocol, which training engines on clusters speak: passes and samples in protobuf, the rest in
// JSON.
//
// The protocol publishes no schema. The numbers of the fields are those that its clients send, and shared vectors hold them. The
// messages are few and flat, so they are read and written here by hand:
//
//	field.go    tags, lengths and numbers of protobuf
//	tensor.go   arrays of numbers
//	request.go  what a pass is asked for
//	output.go   what a pass answers
//	sample.go   completions
//	body.go     everything that is JSON
//
// Nothing that is read is trusted: lengths are compared with what is there before anything is made of them. Fields that nobody here has heard
// of are skipped, since every release of the protocol adds some.
package wire

// The bodies of requests have the fields that every server takes, no newer ones: some servers refuse what they do not know.

// Config asks what a client should do.
type Config struct {
	SDK string `json:"sdk_version"`
}

// Session opens one.
type Session struct {
	Tags     []string       `json:"tags"`
	Metadata map[string]any `json:"user_metadata"` // some servers want it, empty too
	SDK      string         `json:"sdk_version"`
	Type     string         `json:"type"`
}

// InSession is a request about a session.
type InSession struct {
	Session string `json:"session_id"`
	Type    string `json:"type"`
}

// Lora says what a new model trains.
type Lora struct {
	Rank    int   `json:"rank"`
	Seed    int64 `json:"seed"` // 31 bits
	Unembed bool  `json:"train_unembed"`
	MLP     bool  `json:"train_mlp"`
	Attn    bool  `json:"train_attn"`
}

// CreateModel makes a model: an adapter over a base.
type CreateModel struct {
	Session string `json:"session_id"`
	Seq     int    `json:"model_seq_id"`
	Base    string `json:"base_model"`
	Lora    Lora   `json:"lora_config"`
	Type    string `json:"type"`
}

// OfModel is a request about a model.
type OfModel struct {
	Model string `json:"model_id"`
	Type  string `json:"type"`
}

// Adam are the settings of a step.
type Adam struct {
	LR          float64 `json:"learning_rate"`
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	ClipNorm    float64 `json:"grad_clip_norm"`
}

// Step takes one.
type Step struct {
	Adam  Adam   `json:"adam_params"`
	Model string `json:"model_id"`
	Seq   int    `json:"seq_id"`
	Type  string `json:"type"`
}

// Save keeps weights under a name.
type Save struct {
	Model string `json:"model_id"`
	Name  string `json:"path"`
	Seq   int    `json:"seq_id"`
	Type  string `json:"type"`
}

// SaveToSample makes a session to sample from the weights of now.
type SaveToSample struct {
	Model    string `json:"model_id"`
	Sampling int    `json:"sampling_session_seq_id"`
	Seq      int    `json:"seq_id"`
	Type     string `json:"type"`
}

// Load reads weights that were saved into a model.
type Load struct {
	Model     string `json:"model_id"`
	Seq       int    `json:"seq_id"`
	Path      string `json:"path"`
	Optimizer bool   `json:"optimizer"`
	Type      string `json:"type"`
}

// CreateSampling makes a session to sample from a base, or from weights that were saved.
type CreateSampling struct {
	Session string `json:"session_id"`
	Seq     int    `json:"sampling_session_seq_id"`
	Base    string `json:"base_model,omitempty"`
	Path    string `json:"model_path,omitempty"`
	Type    string `json:"type"`
}

// Chunk is a piece of a prompt.
type Chunk struct {
	Tokens []int  `json:"tokens"`
	Type   string `json:"type"`
}

// Prompt is what a completion begins behind.
type Prompt struct {
	Chunks []Chunk `json:"chunks"`
}

// TextOf is a prompt of tokens.
func TextOf(tokens []int) Prompt { return Prompt{[]Chunk{{tokens, "encoded_text"}}} }

// SamplingParams say how tokens are drawn.
type SamplingParams struct {
	MaxTokens   int     `json:"max_tokens"`
	Seed        int64   `json:"seed"` // 31 bits
	Stop        []int   `json:"stop"` // tokens; none: nothing ends a completion but its length
	Temperature float64 `json:"temperature"`
	TopK        int     `json:"top_k"` // -1: all
	TopP        float64 `json:"top_p"`
}

// Draw asks for completions.
type Draw struct {
	Count         int            `json:"num_samples"`
	Prompt        Prompt         `json:"prompt"`
	Params        SamplingParams `json:"sampling_params"`
	Session       string         `json:"sampling_session_id"`
	Seq           int            `json:"seq_id"`
	PromptLogprob bool           `json:"prompt_logprobs"`
	TopLogprobs   int            `json:"topk_prompt_logprobs"`
	Type          string         `json:"type"`
}

// Retrieve asks for the result of a request.
type Retrieve struct {
	Request      string `json:"request_id"`
	MetadataOnly bool   `json:"allow_metadata_only"`
}

// Reply has the fields of all direct answers and of all results that are JSON; those of others are empty.
type Reply struct {
	Request   string                  `json:"request_id"`
	Session   string                  `json:"session_id"`
	Sampling  string                  `json:"sampling_session_id"`
	Model     string                  `json:"model_id"`
	Path      string                  `json:"path"`
	Metrics   map[string]float64      `json:"metrics"`
	Lora      struct{ Alpha float64 } `json:"lora_config"`
	Supported []Supported             `json:"supported_models"`
	URL       string                  `json:"url"`

	Type     string `json:"type"`
	Status   string `json:"status"`
	Category string `json:"category"`
}

// Supported is a base that a server has.
type Supported struct {
	Name    string `json:"model_name"`
	Context int    `json:"max_context_length"`
}
