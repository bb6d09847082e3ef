package jinja

import (
	"errors"
	"fmt"
)

func (d *dataStmt) exec(r *run, _ *scope) error { return r.write(d.text) }

func (p *printStmt) exec(r *run, s *scope) error {
	v, err := r.eval(p.x, s)
	if err != nil {
		return err
	}
	text, err := r.str(v)
	if err != nil {
		return err
	}
	return r.write(text)
}

func (st *ifStmt) exec(r *run, s *scope) error {
	for i, cond := range st.conds {
		v, err := r.eval(cond, s)
		if err != nil {
			return err
		}
		if truth(v) {
			return r.exec(st.bodies[i], s)
		}
	}
	return r.exec(st.otherwise, s)
}

func (st *forStmt) exec(r *run, s *scope) error {
	over, err := r.eval(st.over, s)
	if err != nil {
		return err
	}
	list, err := r.iterate(over)
	if err != nil {
		return err
	}
	if st.filter != nil {
		if list, err = st.filtered(r, s, list); err != nil {
			return err
		}
	}
	ended := false // some turn came to its end; as in Jinja the else is for loops without one, also where all turns continue or break
	lp := &loop{items: list}
	for lp.at = range list {
		turn := s.inner()
		turn.set("loop", lp)
		if err := st.target.assign(turn, list[lp.at]); err != nil {
			return err
		}
		err := r.exec(st.body, turn)
		if err == errBreak {
			break
		}
		if err != nil && err != errContinue {
			return err
		}
		ended = ended || err == nil
	}
	if ended {
		return nil
	}
	return r.exec(st.otherwise, s.inner())
}

// filtered lists the items for which the loop's condition holds.
func (st *forStmt) filtered(r *run, s *scope, list []any) ([]any, error) {
	var kept []any
	for _, item := range list {
		turn := s.inner()
		if err := st.target.assign(turn, item); err != nil {
			return nil, err
		}
		v, err := r.eval(st.filter, turn)
		if err != nil {
			return nil, err
		}
		if truth(v) {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

func (st *setStmt) exec(r *run, s *scope) error {
	v, err := r.eval(st.value, s)
	if err != nil {
		return err
	}
	return st.target.assign(s, v)
}

func (st *setBlockStmt) exec(r *run, s *scope) error {
	v, err := filtered(r, s, st.body, st.filters)
	if err != nil {
		return err
	}
	return st.target.assign(s, v)
}

func (st *filterStmt) exec(r *run, s *scope) error {
	v, err := filtered(r, s, st.body, st.filters)
	if err != nil {
		return err
	}
	text, err := r.str(v)
	if err != nil {
		return err
	}
	return r.write(text)
}

// filtered is the text of a block after filters, one after the other.
func filtered(r *run, s *scope, body []stmt, chain []*filterExpr) (v any, err error) {
	if v, err = r.capture(body, s.inner()); err != nil {
		return nil, err
	}
	for _, f := range chain {
		if v, err = f.apply(r, s, v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// assign sets what t names to v.
func (t *target) assign(s *scope, v any) error {
	switch {
	case t.tuple != nil:
		list, err := iterate(v)
		if err != nil {
			return err
		}
		if len(list) != len(t.tuple) {
			return fmt.Errorf("%d values cannot be assigned to %d names", len(list), len(t.tuple))
		}
		for i := range t.tuple {
			if err := t.tuple[i].assign(s, list[i]); err != nil {
				return err
			}
		}
	case t.attr != "":
		ns, ok := s.get(t.name).(*namespace)
		if !ok {
			return errors.New("cannot assign attribute on non-namespace object")
		}
		ns.vars.put(t.attr, v)
	default:
		s.set(t.name, v)
	}
	return nil
}

func (st *macroStmt) exec(_ *run, s *scope) error {
	s.set(st.macro.name, st.macro.closure(s))
	return nil
}

func (st *callStmt) exec(r *run, s *scope) error {
	fn, err := r.eval(st.call.fn, s)
	if err != nil {
		return err
	}
	args, err := st.call.args.eval(r, s)
	if err != nil {
		return err
	}
	args.caller = st.caller.closure(s)
	v, err := call(r, fn, args)
	if err != nil {
		return err
	}
	text, err := r.str(v)
	if err != nil {
		return err
	}
	return r.write(text)
}

// exec writes the body of a generation block and notes where it lies. As in transformers the place is the end of the text so
// far, even inside of a macro, whose own text is not there yet.
func (st *generationStmt) exec(r *run, s *scope) error {
	start := r.text.Len()
	text, err := r.capture(st.body, s.inner())
	if err != nil {
		return err
	}
	r.spans = append(r.spans, Span{start, start + len(text)})
	return r.write(text)
}

func (j *jumpStmt) exec(*run, *scope) error { return j.jump }

// closure makes the macro callable; its body sees the variables of s.
func (m *macroDef) closure(s *scope) *callable {
	return &callable{name: m.name, call: func(r *run, args callArgs) (any, error) {
		inner := s.inner()
		if err := m.bind(r, inner, args); err != nil {
			return nil, err
		}
		return r.capture(m.body, inner)
	}}
}

// bind sets the parameters. One without argument and default is undefined.
func (m *macroDef) bind(r *run, s *scope, args callArgs) error {
	if len(args.positional) > len(m.params) {
		return fmt.Errorf("macro '%s' takes not more than %d argument(s)", m.name, len(m.params))
	}
	for i, param := range m.params {
		v, named := args.named.lookup(param)
		switch def := i - (len(m.params) - len(m.defaults)); {
		case i < len(args.positional):
			if named {
				return fmt.Errorf("macro '%s' got multiple values for argument '%s'", m.name, param)
			}
			v = args.positional[i]
		case named:
		case def >= 0:
			var err error
			if v, err = r.eval(m.defaults[def], s); err != nil {
				return err
			}
		default:
			v = undefined{fmt.Sprintf("parameter '%s' was not provided", param)}
		}
		s.set(param, v)
	}
	for _, key := range args.named.Keys() {
		if _, known := s.vars[key]; !known {
			return fmt.Errorf("macro '%s' takes no keyword argument '%s'", m.name, key)
		}
	}
	if args.caller != nil {
		s.set("caller", args.caller)
	}
	return nil
}
