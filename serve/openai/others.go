package openai

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"parley/serve"
)

// A route is one that takes a request's parameters; routes are sets of them.
type route int

const (
	chats route = 1 << iota
	completions
	responses
	everywhere = chats | completions | responses
)

// An other is fields of OpenAI's protocol or of vLLM's that would change an answer and are not done.
type other struct {
	names string
	on    route
	alike []string // values that change nothing; null is always one
}

// others are all of them. Fields that change no answer, such as user or service_tier, are left alone.
func others() []other {
	return []other{
		{"kv_transfer_params vllm_xargs", everywhere, []string{"{}"}},
		{"length_penalty", everywhere, []string{"1"}},
		{"use_beam_search include_stop_str_in_output", everywhere, []string{"false"}},
		{"skip_special_tokens", everywhere, []string{"true"}},
		{"bad_words logits_processors", everywhere, []string{"[]"}},
		{"allowed_token_ids truncate_prompt_tokens guided_json guided_regex guided_choice guided_grammar", everywhere, nil},
		{"guided_decoding_backend guided_whitespace_pattern structural_tag prompt_embeds thinking_token_budget repetition_detection", everywhere, nil},
		{"add_special_tokens", completions, []string{"true"}},
		{"add_special_tokens", chats, []string{"false"}},
		{"functions documents", chats, []string{"[]"}},
		{"function_call", chats, []string{`"none"`, `"auto"`}},
		{"modalities", chats, []string{`["text"]`}},
		{"audio web_search_options chat_template", chats, nil},
		{"chat_template_kwargs mm_processor_kwargs media_io_kwargs", chats | responses, []string{"{}"}},
		{"include_reasoning", chats | responses, []string{"true"}},
		{"moderation", chats | responses, nil},
		{"best_of", chats | responses, []string{"1"}},
		{"echo ignore_eos return_token_ids return_tokens_as_token_ids", chats | responses, []string{"false"}},
		{"min_tokens", chats | responses, []string{"0"}},
		{"stop_token_ids", chats | responses, []string{"[]"}},
		{"prompt_logprobs", chats | responses, nil},
		{"top_k", responses, []string{"0", "-1"}},
		{"top_logprobs", responses, []string{"0"}},
		{"continue_final_message", responses, []string{"false"}},
		{"include context_management", responses, []string{"[]"}},
		{"background_options", responses, []string{"{}"}},
		{"conversation max_tool_calls prompt access_programs", responses, nil},
		{"truncation", responses, []string{`"disabled"`}},
	}
}

// read decodes the body of a request, and refuses what would change its answer and is not done.
func read(r *http.Request, on route, into any) *serve.Failure {
	var body json.RawMessage
	if fault := serve.Read(r, &body); fault != nil {
		return fault
	}
	if fault := serve.Parse(body, into); fault != nil {
		return fault
	}
	var fields map[string]json.RawMessage
	if fault := serve.Parse(body, &fields); fault != nil {
		return fault
	}
	for _, o := range others() {
		for name := range strings.FieldsSeq(o.names) {
			if value, there := fields[name]; there && o.on&on != 0 && !o.neutral(value) {
				return serve.Bad(name, "%s is %.80s, and is not done here: leave it out", name, value).Coded("unsupported_parameter")
			}
		}
	}
	return nil
}

// neutral says that a value changes nothing.
func (o other) neutral(value json.RawMessage) bool {
	var got any
	if json.Unmarshal(value, &got) != nil {
		return false
	}
	for _, text := range append([]string{"null"}, o.alike...) {
		var want any
		if json.Unmarshal([]byte(text), &want) == nil && reflect.DeepEqual(got, want) {
			return true
		}
	}
	return false
}
