package chat

import (
	"encoding/json"
	"fmt"

	"parley/model/chat/jinja"
)

// UnmarshalJSON reads an input from one JSON object: messages, tools, add_generation_prompt, continue_final_message, bos_token
// and eos_token; every other entry is a further variable. Keys keep their order everywhere.
func (in *Input) UnmarshalJSON(data []byte) error {
	v, err := jinja.DecodeJSON(data)
	if err != nil {
		return err
	}
	o, ok := v.(*jinja.Object)
	if !ok {
		return fmt.Errorf("a conversation is a JSON object, not %s", jinja.TypeName(v))
	}
	*in = Input{Now: in.Now, Extra: &jinja.Object{}}
	for _, key := range o.Keys() {
		value, _ := o.Get(key)
		if err := in.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// set sets one entry.
func (in *Input) set(key string, value any) error {
	ok := true
	switch key {
	case "messages":
		return in.setMessages(value)
	case "tools":
		in.Tools, ok = value.([]any)
		ok = ok || value == nil
	case "add_generation_prompt":
		in.AddGenerationPrompt, ok = value.(bool)
	case "continue_final_message":
		in.ContinueFinal, ok = value.(bool)
	case "bos_token":
		in.BOS, ok = value.(string)
	case "eos_token":
		in.EOS, ok = value.(string)
	default:
		in.Extra.Set(key, value)
	}
	if !ok {
		return fmt.Errorf("%q is of the wrong type (%s)", key, jinja.TypeName(value))
	}
	return nil
}

func (in *Input) setMessages(value any) error {
	list, ok := value.([]any)
	if !ok {
		return fmt.Errorf(`"messages" is a list, not %s`, jinja.TypeName(value))
	}
	in.Messages = make([]Message, len(list))
	for i, v := range list {
		if in.Messages[i], ok = v.(Message); !ok {
			return fmt.Errorf("message %d is an object, not %s", i+1, jinja.TypeName(v))
		}
	}
	return nil
}

var _ json.Unmarshaler = (*Input)(nil)
