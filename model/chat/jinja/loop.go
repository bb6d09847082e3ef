package jinja

import "errors"

// loop is the variable loop in the body of a for.
type loop struct {
	items []any
	at    int
}

// attr is an attribute of loop.
func (l *loop) attr(name string) (any, error) {
	switch name {
	case "index":
		return int64(l.at + 1), nil
	case "index0":
		return int64(l.at), nil
	case "revindex":
		return int64(len(l.items) - l.at), nil
	case "revindex0":
		return int64(len(l.items) - l.at - 1), nil
	case "first":
		return l.at == 0, nil
	case "last":
		return l.at == len(l.items)-1, nil
	case "length":
		return int64(len(l.items)), nil
	case "depth":
		return int64(1), nil
	case "depth0":
		return int64(0), nil
	case "previtem":
		if l.at == 0 {
			return undefined{"there is no previous item"}, nil
		}
		return l.items[l.at-1], nil
	case "nextitem":
		if l.at == len(l.items)-1 {
			return undefined{"there is no next item"}, nil
		}
		return l.items[l.at+1], nil
	case "cycle":
		return &callable{name: "cycle", call: l.cycle}, nil
	case "changed":
		return nil, errors.New("loop.changed is not supported")
	}
	return undefined{"'loop' has no attribute '" + name + "'"}, nil
}

// cycle picks the argument whose turn it is.
func (l *loop) cycle(_ *run, args callArgs) (any, error) {
	if len(args.positional) == 0 {
		return nil, errors.New("no items for cycling given")
	}
	return args.positional[l.at%len(args.positional)], nil
}
