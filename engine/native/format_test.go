package native

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native/kernel"
	"parley/internal/turn"
	"parley/model/modeltest"
	"parley/model/weights/quant"
)

// low are the formats below float32.
var low = []engine.Format{engine.BF16, engine.Int8, engine.NF4}

// Projections have the values of the format, embedding and head are bf16, norms and biases stay as they are.
func TestFormatValues(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		src := Random(c, 3)
		for _, f := range low {
			e := openTiny(t, c, engine.Options{Format: f})
			for p, uses := range e.base.uses() {
				x := make([]float32, p.size())
				if err := src.Float32(p.name, x); err != nil {
					t.Fatal(err)
				}
				roundAs(f, strings.HasSuffix(p.name, "_proj.weight"), p.shape, x)
				m := uses[0].matrix
				for r := range m.Out {
					got := make([]float32, m.In)
					if m.Row(got, r); !slices.Equal(got, row(x, r, m.In)) {
						t.Fatalf("%s, %s: row %d of %s is %v, want %v", name, f, r, p.name, got, row(x, r, m.In))
					}
				}
			}
			got := make([]float32, c.Hidden)
			if e.base.embedding(got, 5); e.base.embedTable.Format() != engine.BF16 || got[0] == 0 {
				t.Errorf("%s: the embedding is held as %s, its row 5 begins with %v", f, e.base.embedTable.Format(), got[0])
			}
		}
	}
}

// roundAs rounds a tensor to what a base of format f makes of it.
func roundAs(f engine.Format, projection bool, shape []int, x []float32) {
	switch {
	case f == engine.Int8 && projection:
		modeltest.DequantizeInt8(x, quant.QuantizeInt8(shape[0], shape[1], x))
	case f == engine.NF4 && projection:
		modeltest.DequantizeNF4(x, quant.QuantizeNF4(x, true), 0)
	default:
		for i, v := range x {
			x[i] = quant.FromBF16(quant.ToBF16(v))
		}
	}
}

// Whatever the format and the kernel set: everything that holds of an engine, and sampled is scored, bit for bit.
func TestFormatConformance(t *testing.T) {
	n := -1
	for _, f := range low {
		for _, set := range kernel.Available() {
			if n++; !turn.Share(n) {
				continue
			}
			t.Run(f.String()+" "+set, func(t *testing.T) {
				opt := engine.Options{Kernels: set, Format: f}
				enginetest.Conformance(t, func(t *testing.T) engine.Engine { return openTiny(t, tiny, opt) }, tiny.Vocab)
				samplerCrossesPages(t, opt)
			})
		}
	}
}

// Nothing depends on threads or on how passes are cut, and all kernel sets agree on the base of a low format alone.
func TestFormatBits(t *testing.T) {
	for _, f := range low {
		e := openTiny(t, tiny, engine.Options{Format: f})
		policies := lively(t, e)[1:]
		data := distinct(policies, 16, tiny.Vocab)
		want := gradients(t, e, data, 16)
		for _, o := range []engine.Options{{Threads: 1}, {Threads: 3, BatchTokens: 20}} {
			o.Format = f
			e := openTiny(t, tiny, o)
			lively(t, e)
			sameBits(t, fmt.Sprintf("%+v", o), gradients(t, e, data, 16), want)
		}
	}
}

// The logits of a bf16 base are at most twice as far from the exact ones as those of transformers in bf16.
func TestGoldensBF16(t *testing.T) {
	for _, name := range names(t, "forward", ".safetensors") {
		t.Run(name, func(t *testing.T) {
			var g struct {
				Measured struct {
					Error float64 `json:"bf16_mean_abs_logit_error"`
				}
			}
			readJSON(t, "forward/"+name+".json", &g)
			e := openGolden(t, filepath.Join("models", name), engine.Options{Format: engine.BF16})
			a := openArrays(t, "forward/"+name+".safetensors")
			_, logits := e.states(t, a.sequences(engine.Base, engine.Sampling{}))
			want, sum := a.floats("logits_f64"), 0.0
			for i, z := range logits {
				sum += math.Abs(float64(z - want[i]))
			}
			if got := sum / float64(len(want)); len(logits) != len(want) || !(got <= 2*g.Measured.Error) || got == 0 {
				t.Errorf("mean error of the logits %.4f, that of transformers in bf16 %.4f", got, g.Measured.Error)
			}
		})
	}
}

// Gradients over a bf16 base point where the exact ones point.
func TestGoldensBF16Gradients(t *testing.T) {
	for _, name := range names(t, "train", "") {
		if strings.HasPrefix(name, "full-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var g trainGolden
			readJSON(t, "train/"+name+"/golden.json", &g)
			e := openGolden(t, g.Checkpoint, engine.Options{Format: engine.BF16})
			a := openArrays(t, "train/"+name+"/golden.safetensors")
			p := loadGolden(t, e, name, a)
			l := goldenLoss{g: g, weights: a.floats("weights"), returns: a.floats("returns"), mask: a.floats("value_mask")}
			data := a.sequences("p", engine.Sampling{})
			for at, i := 0, 0; i < len(data); i++ {
				l.starts = append(l.starts, at)
				at += len(data[i].Tokens)
			}
			if err := e.ForwardBackward(t.Context(), data, l.loss); err != nil {
				t.Fatal(err)
			}
			for _, q := range p.params {
				want := a.floats("grad." + q.name)
				var size, distance float64
				for i, w := range want {
					d := float64(q.g[i]) - float64(w)
					size, distance = size+float64(w)*float64(w), distance+d*d
				}
				if r := math.Sqrt(distance / size); !(r < 0.25) {
					t.Errorf("%s: the gradient is off by %.3f of its length", q.name, r)
				}
			}
		})
	}
}
