package engine

import "fmt"

// A Part is data that are trained on together, and their loss.
type Part struct {
	Data []Datum
	Loss Loss
}

// Join makes one call of ForwardBackward of several, so that an engine may compute what they share once: products with the base, above all.
// Each loss is called with its own data alone, as if they had been passed by themselves.
func Join(parts []Part) ([]Datum, Loss) {
	var data []Datum
	ends := make([]int, len(parts)) // of each part's data
	for i, p := range parts {
		data = append(data, p.Data...)
		ends[i] = len(data)
	}
	return data, func(first int, outputs []Output) ([]Gradient, error) {
		var all []Gradient
		for i, p := range parts {
			if len(outputs) == 0 || first >= ends[i] {
				continue
			}
			n := min(len(outputs), ends[i]-first)
			g, err := p.Loss(first-(ends[i]-len(p.Data)), outputs[:n])
			if err != nil {
				return nil, err
			}
			if len(g) != n {
				return nil, fmt.Errorf("the loss of part %d of %d returned %d gradients for %d outputs", i+1, len(parts), len(g), n)
			}
			all = append(all, g...)
			first, outputs = first+n, outputs[n:]
		}
		return all, nil
	}
}
