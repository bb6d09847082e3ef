package bench

import (
	"math"
	"strings"
	"testing"

	"parley/model/config"
)

// TestShape compares the weights that a token passes with the tensors of the checkpoint.
func TestShape(t *testing.T) {
	src := openRandom(t, "qwen2.5-0.5b")
	config, err := config.Parse(src.Config())
	if err != nil {
		t.Fatal(err)
	}
	block, low := 0, 0
	for _, x := range src.Tensors() {
		if strings.HasSuffix(x.Name, "_proj.weight") {
			block += x.Elements()
			low += x.Shape[0] + x.Shape[1]
		}
	}
	s := shapeOf(config)
	if s.block != float64(block) || s.low != float64(low) || s.head != 896*151936 {
		t.Errorf("block %g, low %g, head %g; the checkpoint has %d, %d", s.block, s.low, s.head, block, low)
	}
}

// TestTrainCost checks the cost of a token of training against the one that is known: 4 operations for each weight of the
// blocks and of the head, a few per cent for attention and adapters.
func TestTrainCost(t *testing.T) {
	s := shapeOf(shapes["smollm2-135m"])
	perToken := s.train([]tokenRange{{0, 512}}, 512, 8) / 512
	products := 4 * (s.block + s.head)
	if extra := perToken/products - 1; extra < 0.03 || extra > 0.2 {
		t.Errorf("%g operations a token, products alone %g", perToken, products)
	}
	whole := s.forward([]tokenRange{{0, 100}}, 10, 4)
	parts := s.forward([]tokenRange{{0, 60}, {60, 40}}, 10, 4)
	if math.Abs(whole-parts) > 1e-6*whole {
		t.Errorf("a sequence costs %g in one piece and %g in two", whole, parts)
	}
	if forward := s.forward([]tokenRange{{0, 512}}, 512, 0); 2*forward > 512*perToken {
		t.Errorf("forward %g, training %g: less than twice as much", forward, 512*perToken)
	}
}
