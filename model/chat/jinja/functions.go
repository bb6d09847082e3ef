package jinja

import (
	"errors"
	"fmt"
	"strings"
)

// functions are the names that every template knows.
var functions = map[string]*callable{
	"dict":            {name: "dict", call: makeDict},
	"namespace":       {name: "namespace", call: makeNamespace},
	"raise_exception": {name: "raise_exception", call: raise},
	"range":           {name: "range", call: makeRange},
	"strftime_now":    {name: "strftime_now", call: strftimeNow},
}

// raise is how a template refuses a conversation.
func raise(r *run, args callArgs) (any, error) {
	a, _, err := args.take("message")
	if err != nil {
		return nil, err
	}
	message, err := r.str(a[0])
	if err != nil {
		return nil, err
	}
	return nil, &RaisedError{message}
}

// makeDict is dict(mapping or pairs, key=value...).
func makeDict(r *run, args callArgs) (any, error) {
	if len(args.positional) > 1 {
		return nil, errors.New("dict expected at most 1 argument")
	}
	o := &Object{}
	if len(args.positional) == 1 {
		from, ok := args.positional[0].(*Object)
		if !ok {
			return o, dictOfPairs(r, o, args.positional[0])
		}
		o = from.Clone()
	}
	for i := range args.named.Len() {
		o.put(args.named.keys[i], args.named.values[i])
	}
	return o, r.charge(o.Len())
}

func dictOfPairs(r *run, o *Object, v any) error {
	list, err := r.iterate(v)
	if err != nil {
		return err
	}
	for _, x := range list {
		pair, err := iterate(x)
		if err != nil || len(pair) != 2 {
			return errors.New("dict needs a mapping or pairs of key and value")
		}
		if !o.put(pair[0], pair[1]) {
			return fmt.Errorf("unhashable type: '%s'", TypeName(pair[0]))
		}
	}
	return nil
}

func makeNamespace(r *run, args callArgs) (any, error) {
	v, err := makeDict(r, args)
	if err != nil {
		return nil, err
	}
	for _, key := range args.named.Keys() {
		if strings.HasPrefix(key, "_") {
			return nil, fmt.Errorf("namespace: the name %s begins with _", key)
		}
	}
	return &namespace{v.(*Object)}, nil
}

// makeRange is range(stop) or range(start, stop[, step]).
func makeRange(r *run, args callArgs) (any, error) {
	var n [3]int64
	if len(args.positional) < 1 || len(args.positional) > 3 || args.named.Len() > 0 {
		return nil, errors.New("range takes 1 to 3 arguments")
	}
	for i, v := range args.positional {
		var ok bool
		if n[i], ok = integer(v); !ok {
			return nil, fmt.Errorf("range: '%s' object cannot be interpreted as an integer", TypeName(v))
		}
	}
	start, stop, step := n[0], n[1], n[2]
	switch len(args.positional) {
	case 1:
		start, stop, step = 0, n[0], 1
	case 2:
		step = 1
	}
	if step == 0 {
		return nil, errors.New("range: the step must not be 0")
	}
	list := []any{}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if len(list) == maxRange {
			return nil, fmt.Errorf("range is too big; the limit is %d", maxRange)
		}
		list = append(list, i)
		if next := i + step; (next > i) != (step > 0) {
			break // past the last number
		}
	}
	name := fmt.Sprintf("range(%d, %d)", start, stop)
	if step != 1 {
		name = fmt.Sprintf("range(%d, %d, %d)", start, stop, step)
	}
	return &view{items: list, text: name, sized: true, indexable: true}, r.charge(len(list))
}
