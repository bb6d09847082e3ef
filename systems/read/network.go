package read

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"parley/internal/seed"
)

// NetworkSettings are those of a [Network] and of how it is fitted.
type NetworkSettings struct {
	Hidden int     // units of the one hidden layer
	Rate   float64 // of Adam at first; it falls to 0 over the steps, for the returns of one prefix differ
	Batch  int     // prefixes of a step
	Steps  int
	Seed   uint64
}

// inputs is how many places words of states and actions are hashed to.
const inputs = 512

// A Network is a critic with one hidden layer of rectified units:
//
//	Q^{1:u}(s, a^{1:u}) = b₂ + w₂·max(0, b₁ + Σ_k W_k)     k: the features of s and of a¹ … a^u, and of "missing" for the robots after u
//
// A feature is a word of the state with its place, or the action of a robot; there is one weight vector W_k of Hidden numbers for each. It is
// fitted by least squares to the returns, one random prefix of a random step at a time, so that a masked robot comes to mean its own policy.
type Network struct {
	Robots int
	W      []float64 // [inputs × hidden]
	B1, W2 []float64 // [hidden]
	B2     float64
	Scale  float64 // returns are learned as shares of it
}

// NewNetwork fits a network.
func NewNetwork(data []Sample, s NetworkSettings) (*Network, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("fit the critic: no data")
	}
	if s.Hidden < 1 || s.Batch < 1 || !(s.Rate > 0) {
		return nil, fmt.Errorf("fit the critic: hidden %d, batch %d, rate %v: all have to be above 0", s.Hidden, s.Batch, s.Rate)
	}
	n := &Network{Robots: len(data[0].Actions), W: make([]float64, inputs*s.Hidden), B1: make([]float64, s.Hidden), W2: make([]float64, s.Hidden), Scale: 1}
	for _, d := range data {
		n.Scale = max(n.Scale, math.Abs(d.Return))
	}
	random := seed.Stream(seed.Derive(s.Seed, "critic begins"))
	for i := range n.W {
		n.W[i] = random.NormFloat64() / 3 // about nine features are on at a time
	}
	for i := range n.W2 {
		n.W2[i] = random.NormFloat64() / math.Sqrt(float64(s.Hidden))
	}
	fit := newFitting(n)
	random = seed.Stream(seed.Derive(s.Seed, "critic learns"))
	for step := range s.Steps {
		fit.rate = s.Rate * float64(s.Steps-step) / float64(s.Steps)
		for range s.Batch {
			d := data[random.IntN(len(data))]
			fit.add(n.features(d.State, d.Actions[:random.IntN(len(d.Actions)+1)]), d.Return/n.Scale, float64(s.Batch))
		}
		fit.step()
	}
	return n, nil
}

// features are the places of what is on: words of the state, actions of the first robots, masks of the others.
func (n *Network) features(state string, actions []string) []int {
	var out []int
	for i, word := range strings.Fields(state) {
		out = append(out, place(fmt.Sprint("state ", i, " ", word)))
	}
	for robot := range n.Robots {
		if robot < len(actions) {
			out = append(out, place(fmt.Sprint("robot ", robot, " does ", actions[robot])))
		} else {
			out = append(out, place(fmt.Sprint("robot ", robot, " is missing")))
		}
	}
	return out
}

func place(name string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return int(h.Sum64() % inputs)
}

// forward returns what the hidden units are at, and the value as a share of the scale.
func (n *Network) forward(features []int) (hidden []float64, q float64) {
	width := len(n.B1)
	hidden = append([]float64(nil), n.B1...)
	for _, f := range features {
		for i, w := range n.W[f*width : (f+1)*width] {
			hidden[i] += w
		}
	}
	q = n.B2
	for i, h := range hidden {
		if hidden[i] = max(0, h); h > 0 {
			q += n.W2[i] * h
		}
	}
	return hidden, q
}

// Value implements [Critic]. A network has an opinion of everything.
func (n *Network) Value(state string, actions []string) (float64, bool) {
	_, q := n.forward(n.features(state, actions))
	return q * n.Scale, true
}

// A fitting takes steps of Adam on a network. Rows of W that no feature of a step turns on stay as they are.
type fitting struct {
	n                  *Network
	rate               float64
	steps              int
	rows               map[int]int // of W in this step: where their gradients lie
	grad               []float64   // of these rows
	order              []int       // of the rows
	b1, w2             []float64
	b2                 float64
	m, v               []float64 // of W
	m1, v1, mw, vw     []float64
	mb, vb             []float64
	beta1, beta2, tiny float64
}

func newFitting(n *Network) *fitting {
	width := len(n.B1)
	vector := func() []float64 { return make([]float64, width) }
	return &fitting{
		n: n, rows: map[int]int{}, b1: vector(), w2: vector(), m1: vector(), v1: vector(), mw: vector(), vw: vector(),
		m: make([]float64, len(n.W)), v: make([]float64, len(n.W)), mb: make([]float64, 1), vb: make([]float64, 1), beta1: 0.9, beta2: 0.999, tiny: 1e-8,
	}
}

// add takes in the gradient of (q − y)² over the size of the batch.
func (f *fitting) add(features []int, y, batch float64) {
	hidden, q := f.n.forward(features)
	slope := 2 * (q - y) / batch
	f.b2 += slope
	width := len(hidden)
	back := make([]float64, width)
	for i, h := range hidden {
		f.w2[i] += slope * h
		if h > 0 {
			back[i] = slope * f.n.W2[i]
		}
		f.b1[i] += back[i]
	}
	for _, k := range features {
		at, has := f.rows[k]
		if !has {
			at = len(f.order)
			f.rows[k], f.order = at, append(f.order, k)
			f.grad = append(f.grad, make([]float64, width)...)
		}
		for i, g := range back {
			f.grad[at*width+i] += g
		}
	}
}

// step moves the network against the gradients, and clears them.
func (f *fitting) step() {
	f.steps++
	width := len(f.b1)
	for at, k := range f.order {
		f.adam(f.n.W[k*width:(k+1)*width], f.grad[at*width:(at+1)*width], f.m[k*width:(k+1)*width], f.v[k*width:(k+1)*width])
	}
	f.adam(f.n.B1, f.b1, f.m1, f.v1)
	f.adam(f.n.W2, f.w2, f.mw, f.vw)
	bias, slope := []float64{f.n.B2}, []float64{f.b2}
	f.adam(bias, slope, f.mb, f.vb)
	f.n.B2, f.b2 = bias[0], 0
	clear(f.rows)
	f.order, f.grad = f.order[:0], f.grad[:0]
}

// adam is one step of some parameters.
func (f *fitting) adam(x, g, m, v []float64) {
	c1, c2 := 1-math.Pow(f.beta1, float64(f.steps)), 1-math.Pow(f.beta2, float64(f.steps))
	for i := range x {
		m[i] = f.beta1*m[i] + (1-f.beta1)*g[i]
		v[i] = f.beta2*v[i] + (1-f.beta2)*g[i]*g[i]
		x[i] -= f.rate * (m[i] / c1) / (math.Sqrt(v[i]/c2) + f.tiny)
		g[i] = 0
	}
}
