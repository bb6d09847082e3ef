package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// jsonDatum is a datum of clients that write passes in JSON.
type jsonDatum struct {
	Inputs map[string]jsonInput `json:"loss_fn_inputs"`
	Model  ModelInput           `json:"model_input"`
}

// jsonInput is a tensor with all that it may have.
type jsonInput struct {
	jsonTensor
	Rows []int64 `json:"sparse_crow_indices"`
	Cols []int64 `json:"sparse_col_indices"`
}

func (j *jsonInput) tensor() (t Tensor, err error) {
	shape := j.Shape
	j.Shape = nil
	if t, err = j.jsonTensor.tensor(); err != nil {
		return t, err
	}
	if t.Shape = shape; j.Rows == nil {
		return t, t.checkShape()
	}
	t.Rows, t.Cols = j.Rows, j.Cols
	return t, t.checkSparse()
}

// A ModelInput is a sequence as JSON has it. The kind of a chunk may be left out.
type ModelInput struct {
	Chunks []struct {
		Tokens *[]int64 `json:"tokens"`
		Type   string   `json:"type"`
	} `json:"chunks"`
}

// Text are the tokens of all chunks, which only texts have.
func (m *ModelInput) Text() ([]int, error) {
	var out []int
	for _, c := range m.Chunks {
		if c.Tokens == nil || c.Type != "" && c.Type != "encoded_text" {
			return nil, errors.New("a chunk is an image or sound: only text is understood")
		}
		for _, t := range *c.Tokens {
			if t < 0 || t > math.MaxInt32 {
				return nil, fmt.Errorf("%d is no token", t)
			}
			out = append(out, int(t))
		}
	}
	return out, nil
}

// DecodePassJSON reads a pass of clients that write them in JSON.
func DecodePassJSON(data []byte) (p Pass, err error) {
	type input struct {
		Data   []jsonDatum        `json:"data"`
		Loss   string             `json:"loss_fn"`
		Config map[string]float64 `json:"loss_fn_config"`
	}
	var j struct {
		Backward *input `json:"forward_backward_input"`
		Forward  *input `json:"forward_input"`
		Model    string `json:"model_id"`
		Seq      int    `json:"seq_id"`
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return p, err
	}
	p.Model, p.Seq, p.ForwardOnly, p.Config = j.Model, j.Seq, j.Forward != nil, map[string]float64{}
	in := j.Backward
	if p.ForwardOnly {
		in = j.Forward
	}
	if in == nil {
		return p, errors.New("there is neither forward_backward_input nor forward_input")
	}
	p.Loss = in.Loss
	if in.Config != nil {
		p.Config = in.Config
	}
	for i := range in.Data {
		d, err := in.Data[i].datum()
		if err != nil {
			return p, fmt.Errorf("datum %d: %w", i, err)
		}
		p.Data = append(p.Data, d)
	}
	return p, nil
}

func (j *jsonDatum) datum() (d Datum, err error) {
	tokens, err := j.Model.Text()
	if err != nil {
		return d, err
	}
	d.Inputs = map[string]Tensor{}
	for _, t := range tokens {
		d.Tokens = append(d.Tokens, int32(t))
	}
	for name, t := range j.Inputs {
		if d.Inputs[name], err = t.tensor(); err != nil {
			return d, fmt.Errorf("%.40q: %w", name, err)
		}
	}
	return d, nil
}
