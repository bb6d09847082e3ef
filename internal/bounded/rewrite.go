package bounded

import "go.starlark.net/syntax"

// Names of guards: no text can write them.
const (
	attribute = "."
	key       = "[]"
	slice     = "[:]"
	spread    = "(*)"
	update    = "[]="
)

// rewrite puts guards in a file.
func rewrite(f *syntax.File) { statements(f.Stmts) }

func statements(list []syntax.Stmt) {
	for i, s := range list {
		list[i] = statement(s)
	}
}

func statement(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return assignment(s)
	case *syntax.DefStmt:
		parameters(s.Params)
		statements(s.Body)
	case *syntax.ExprStmt:
		s.X = expression(s.X)
	case *syntax.ForStmt:
		target(s.Vars)
		s.X = expression(s.X)
		statements(s.Body)
	case *syntax.WhileStmt:
		s.Cond = expression(s.Cond)
		statements(s.Body)
	case *syntax.IfStmt:
		s.Cond = expression(s.Cond)
		statements(s.True)
		statements(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = expression(s.Result)
		}
	}
	return s
}

// assignment guards the operators that change in place: a name takes what the guard gives; an entry is changed by the guard, which gets the
// new part as a function, since the old one is read before.
func assignment(s *syntax.AssignStmt) syntax.Stmt {
	s.RHS = expression(s.RHS)
	target(s.LHS)
	if s.Op == syntax.EQ {
		return s
	}
	switch left := bare(s.LHS).(type) {
	case *syntax.Ident:
		s.RHS = guarded(s.Op.String(), s.OpPos, &syntax.Ident{NamePos: left.NamePos, Name: left.Name}, s.RHS)
		s.Op = syntax.EQ
	case *syntax.IndexExpr:
		later := &syntax.LambdaExpr{Lambda: s.OpPos, Body: s.RHS}
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: s.OpPos, Raw: `"` + s.Op.String() + `"`, Value: s.Op.String()}
		return &syntax.ExprStmt{X: guarded(update, s.OpPos, left.X, left.Y, name, later)}
	}
	return s
}

// target guards within what is assigned to.
func target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		target(e.X)
	case *syntax.TupleExpr:
		targets(e.List)
	case *syntax.ListExpr:
		targets(e.List)
	case *syntax.IndexExpr:
		e.X, e.Y = expression(e.X), keyed(e.Y)
	case *syntax.DotExpr:
		e.X = expression(e.X)
	}
}

func targets(list []syntax.Expr) {
	for _, e := range list {
		target(e)
	}
}

// parameters guards the defaults of parameters.
func parameters(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = expression(b.Y)
		}
	}
}

func expressions(list []syntax.Expr) {
	for i, e := range list {
		list[i] = expression(e)
	}
}

func optional(e syntax.Expr) syntax.Expr {
	if e == nil {
		return nil
	}
	return expression(e)
}

func expression(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		e.X, e.Y = expression(e.X), expression(e.Y)
		if e.Op != syntax.AND && e.Op != syntax.OR {
			return guarded(e.Op.String(), e.OpPos, e.X, e.Y)
		}
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.NamePos, Raw: `"` + e.Name.Name + `"`, Value: e.Name.Name}
		return guarded(attribute, e.Dot, expression(e.X), name)
	case *syntax.IndexExpr:
		e.X, e.Y = expression(e.X), keyed(e.Y)
	case *syntax.SliceExpr:
		e.X, e.Lo, e.Hi, e.Step = expression(e.X), optional(e.Lo), optional(e.Hi), optional(e.Step)
		return guarded(slice, e.Lbrack, e)
	case *syntax.CallExpr:
		e.Fn = expression(e.Fn)
		arguments(e.Args)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = expression(e.Cond), expression(e.True), expression(e.False)
	case *syntax.Comprehension:
		comprehension(e)
	case *syntax.DictEntry:
		e.Key, e.Value = keyed(e.Key), expression(e.Value)
	case *syntax.DictExpr:
		expressions(e.List)
	case *syntax.LambdaExpr:
		parameters(e.Params)
		e.Body = expression(e.Body)
	case *syntax.ListExpr:
		expressions(e.List)
	case *syntax.TupleExpr:
		expressions(e.List)
	case *syntax.ParenExpr:
		e.X = expression(e.X)
	case *syntax.UnaryExpr:
		e.X = optional(e.X)
	}
	return e
}

// arguments guards what a call hands over: by name, in order, or all of a list.
func arguments(list []syntax.Expr) {
	for i, arg := range list {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ {
				arg.Y = expression(arg.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR {
				arg.X = guarded(spread, arg.OpPos, expression(arg.X))
				continue
			}
		}
		list[i] = expression(arg)
	}
}

func comprehension(c *syntax.Comprehension) {
	if _, entry := c.Body.(*syntax.DictEntry); c.Curly && !entry {
		c.Body = keyed(c.Body)
	} else {
		c.Body = expression(c.Body)
	}
	for _, clause := range c.Clauses {
		switch clause := clause.(type) {
		case *syntax.ForClause:
			target(clause.Vars)
			clause.X = expression(clause.X)
		case *syntax.IfClause:
			clause.Cond = expression(clause.Cond)
		}
	}
}

// keyed guards a key: a table looks at all of it.
func keyed(e syntax.Expr) syntax.Expr {
	start, _ := e.Span()
	if _, literal := bare(e).(*syntax.Literal); literal {
		return e
	}
	return guarded(key, start, expression(e))
}

func bare(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// guarded is a call of a guard.
func guarded(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}
