package engine

// A Wrapper is an engine that does something beside each call of another one, such as taking its time. What it implements of the abilities it
// has only where the other one has them too: ask with [As].
type Wrapper interface {
	Engine
	Unwrap() Engine
}

// As finds an ability of an engine: the outermost wrapper that implements it, or else the engine within. There is none if the engine within has none,
// whatever its wrappers could pass on.
func As[T any](e Engine) (T, bool) {
	own, has := e.(T)
	w, wraps := e.(Wrapper)
	if !wraps {
		return own, has
	}
	inner, ok := As[T](w.Unwrap())
	if has && ok {
		return own, true
	}
	return inner, ok
}
