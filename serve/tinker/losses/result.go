package losses

import "parley/engine/tinker/wire"

// A Result is the output of a pass as it waits for its client: the message ForwardBackwardOutput. Its maps are many times larger where data are short.
type Result []byte

// ResultOf keeps an output.
func ResultOf(o *wire.Output) Result { return o.Encode() }

// Proto is the message.
func (r Result) Proto() []byte { return r }

// JSON is what clients get who do not read messages.
func (r Result) JSON() ([]byte, error) {
	o, err := wire.DecodeOutput(r)
	if err != nil {
		return nil, err
	}
	return o.JSON()
}
