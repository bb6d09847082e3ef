package tinker

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"parley/engine/tinker/wire"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

const proto = "application/x-protobuf"

// Bounds of one pass. Clients cut what is longer.
const (
	mostData   = 1 << 16
	mostPlaces = 1 << 21 // targets of all data
)

// pass answers a request for one: in protobuf, or in JSON as older clients write it.
func (s *Server) pass(r *http.Request, forward bool) any {
	data, f := s.body(r)
	if f != nil {
		return f
	}
	decode := wire.DecodePassJSON
	if strings.Contains(r.Header.Get("Content-Type"), proto) {
		decode = wire.DecodePass
	}
	p, err := decode(data)
	p.ForwardOnly = p.ForwardOnly || forward
	if err != nil && (p.Model == "" || p.Seq < 1) {
		return checkpoint.Bad("the body: %v", err)
	}
	m, f := s.model(p.Model)
	if f != nil {
		return f
	}
	// One encoding of one message, whatever the order in which the client wrote its fields.
	hash := sha256.Sum256(append([]byte("forward_backward\n"), p.Encode()...))
	if err != nil {
		return s.refuse(m, p.Seq, sha256.Sum256(data), err)
	}
	l, all, err := s.readPass(&p)
	if err != nil {
		return s.refuse(m, p.Seq, hash, err)
	}
	return s.numbered(m, p.Seq, hash, len(data), func(ctx context.Context) (promise.Result, int, error) {
		o, err := losses.Pass(ctx, s.engine, m.policy, l, all, !p.ForwardOnly)
		if err != nil {
			return nil, 0, err
		}
		r := losses.ResultOf(&o)
		return r, cap(r), nil
	})
}

// readPass checks what a pass is asked for.
func (s *Server) readPass(p *wire.Pass) (*losses.Loss, []*losses.Datum, error) {
	l, err := losses.New(p.Loss, p.Config)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Data) == 0 || len(p.Data) > mostData {
		return nil, nil, fmt.Errorf("there are %d data, expected 1 to %d", len(p.Data), mostData)
	}
	var all []*losses.Datum
	places := 0
	for i := range p.Data {
		d, err := l.Read(&p.Data[i], losses.Limits{Vocab: s.base.Vocab, Context: s.engine.Context()})
		if err != nil {
			return nil, nil, fmt.Errorf("datum %d: %w", i, err)
		}
		if places += len(d.Targets); places > mostPlaces {
			return nil, nil, fmt.Errorf("the data have more than %d targets: send them in several requests", mostPlaces)
		}
		all = append(all, d)
	}
	return l, all, nil
}
