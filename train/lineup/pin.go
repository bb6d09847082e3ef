package lineup

import (
	"context"
	"errors"
	"fmt"

	"parley/engine"
)

// Pin lets all engines draw from policies as they are now, until release is called. release is nil where one of them cannot.
func (l Lineup) Pin(ctx context.Context) (release func(), err error) {
	var all []engine.Pinner
	for _, b := range l.Bases {
		p, can := engine.As[engine.Pinner](b.Engine)
		if !can {
			return nil, nil
		}
		all = append(all, p)
	}
	var held []func()
	release = func() {
		for _, one := range held {
			one()
		}
	}
	for _, p := range all {
		one, err := p.Pin(ctx)
		if errors.Is(err, errors.ErrUnsupported) {
			release()
			return nil, nil
		}
		if err != nil {
			release()
			return nil, fmt.Errorf("keep policies as they are: %w", err)
		}
		held = append(held, one)
	}
	return release, nil
}
