package jinja

// An expr is an expression of a template. Its value is computed by [run.eval], which counts steps.
type expr interface {
	eval(r *run, s *scope) (any, error)
}

// A stmt is a piece of a template that writes output or changes variables. It is carried out by [run.exec].
type stmt interface {
	exec(r *run, s *scope) error
	lineNumber() int
}

// at is the line that a statement begins on.
type at struct{ line int }

func (a at) lineNumber() int { return a.line }

// Expressions.
type (
	literal   struct{ value any }
	name      struct{ name string }
	listExpr  struct{ items []expr }
	tupleExpr struct{ items []expr }
	dictExpr  struct{ keys, values []expr }
	attrExpr  struct {
		of   expr
		name string
	}
	indexExpr struct{ of, index expr }
	sliceExpr struct{ of, start, stop, step expr } // nil: left out
	unaryExpr struct {
		op string // - + not
		x  expr
	}
	binaryExpr struct {
		op   string // + - * / // % **
		x, y expr
	}
	concatExpr struct{ parts []expr } // ~
	logicExpr  struct {
		or   bool
		x, y expr
	}
	compareExpr struct {
		x    expr
		ops  []string // == != < <= > >= in "not in", chained
		rest []expr
	}
	condExpr struct{ cond, then, otherwise expr } // otherwise nil: undefined
	callExpr struct {
		fn   expr
		args argExprs
	}
	filterExpr struct {
		x    expr // nil: the body of a filter block or set block
		name string
		fn   filter
		args argExprs
	}
	testExpr struct {
		x    expr
		name string
		fn   test
		args argExprs
	}
)

// argExprs are the arguments of a call.
type argExprs struct {
	positional []expr
	names      []string
	named      []expr
}

// Statements.
type (
	dataStmt struct {
		at
		text string
	}
	printStmt struct {
		at
		x expr
	}
	ifStmt struct {
		at
		conds     []expr
		bodies    [][]stmt
		otherwise []stmt
	}
	forStmt struct {
		at
		target    target
		over      expr
		filter    expr // nil: every item
		body      []stmt
		otherwise []stmt
	}
	setStmt struct {
		at
		target target
		value  expr
	}
	setBlockStmt struct {
		at
		target  target
		filters []*filterExpr
		body    []stmt
	}
	macroStmt struct {
		at
		macro *macroDef
	}
	callStmt struct {
		at
		caller *macroDef
		call   *callExpr
	}
	filterStmt struct {
		at
		filters []*filterExpr
		body    []stmt
	}
	generationStmt struct {
		at
		body []stmt
	}
	jumpStmt struct {
		at
		jump error // errBreak or errContinue
	}
)

// macroDef is a macro as written.
type macroDef struct {
	name     string
	params   []string
	defaults []expr // of the last parameters
	body     []stmt
}

// A target is what is assigned to: a name, an attribute of a namespace, or a tuple of targets.
type target struct {
	name  string
	attr  string   // ns.attr
	tuple []target // when not nil
}
