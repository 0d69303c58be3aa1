package script

import (
	"fmt"

	"go.starlark.net/syntax"
)

// A rewriter replaces the operations of a program by those that pay first. What
// it does not know is a mistake of the script: nothing runs unpaid.
type rewriter struct{ err error }

func (r *rewriter) refuse(at syntax.Position, problem string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", at, problem)
	}
}

// operation is a call of one of the operations of operators.go.
func operation(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

func (r *rewriter) statements(list []syntax.Stmt) {
	for i := range list {
		list[i] = r.statement(list[i])
	}
}

func (r *rewriter) statement(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return r.assignment(s)
	case *syntax.BranchStmt:
	case *syntax.DefStmt:
		r.parameters(s.Params)
		r.statements(s.Body)
	case *syntax.ExprStmt:
		s.X = r.expr(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X = r.target(s.Vars), r.expr(s.X)
		r.statements(s.Body)
	case *syntax.IfStmt:
		s.Cond = r.expr(s.Cond)
		r.statements(s.True)
		r.statements(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = r.expr(s.Result)
		}
	case *syntax.LoadStmt:
		r.refuse(s.Load, "load: a policy script stands alone")
	default:
		r.refuse(syntax.Start(s), "this statement is not for policy scripts")
	}
	return s
}

// assignment turns x += y into x = (x += y), and x[i] += y into an operation.
func (r *rewriter) assignment(s *syntax.AssignStmt) syntax.Stmt {
	s.RHS = r.expr(s.RHS)
	if s.Op == syntax.EQ {
		s.LHS = r.target(s.LHS)
		return s
	}
	if _, ok := assigning[s.Op]; !ok {
		r.refuse(s.OpPos, "the operator "+s.Op.String()+" is not for policy scripts")
		return s
	}
	lhs := s.LHS
	for {
		paren, ok := lhs.(*syntax.ParenExpr)
		if !ok {
			break
		}
		lhs = paren.X
	}
	switch lhs := lhs.(type) {
	case *syntax.Ident:
		old := &syntax.Ident{NamePos: lhs.NamePos, Name: lhs.Name}
		s.RHS = operation(binaryName(s.Op), s.OpPos, old, s.RHS)
		s.Op, s.LHS = syntax.EQ, lhs
		return s
	case *syntax.IndexExpr:
		key := operation(opKey, lhs.Lbrack, r.expr(lhs.Y))
		return &syntax.ExprStmt{X: operation(indexName(s.Op), s.OpPos, r.expr(lhs.X), key, s.RHS)}
	}
	r.refuse(s.OpPos, "only a variable or an item can stand before "+s.Op.String())
	return s
}

// target rewrites what is assigned to.
func (r *rewriter) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
	case *syntax.ParenExpr:
		e.X = r.target(e.X)
	case *syntax.TupleExpr:
		for i := range e.List {
			e.List[i] = r.target(e.List[i])
		}
	case *syntax.ListExpr:
		for i := range e.List {
			e.List[i] = r.target(e.List[i])
		}
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.key(e.Y)
	default:
		r.refuse(syntax.Start(e), "this cannot be assigned to")
	}
	return e
}

// parameters rewrites the defaults of parameters.
func (r *rewriter) parameters(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = r.expr(b.Y)
		}
	}
}

// key rewrites what a dictionary may have to hash.
func (r *rewriter) key(e syntax.Expr) syntax.Expr {
	if _, ok := e.(*syntax.Literal); ok {
		return e
	}
	return operation(opKey, syntax.Start(e), r.expr(e))
}

func (r *rewriter) list(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r *rewriter) maybe(e *syntax.Expr) {
	if *e != nil {
		*e = r.expr(*e)
	}
}

func (r *rewriter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident, *syntax.Literal:
	case *syntax.BinaryExpr:
		e.X, e.Y = r.expr(e.X), r.expr(e.Y)
		if e.Op != syntax.AND && e.Op != syntax.OR {
			return operation(binaryName(e.Op), e.OpPos, e.X, e.Y)
		}
	case *syntax.CallExpr:
		e.Fn = r.expr(e.Fn)
		r.arguments(e.Args)
	case *syntax.Comprehension:
		r.comprehension(e)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = r.expr(e.Cond), r.expr(e.True), r.expr(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = r.key(e.Key), r.expr(e.Value)
	case *syntax.DictExpr:
		r.list(e.List)
	case *syntax.DotExpr:
		name := &syntax.Literal{Token: syntax.STRING, TokenPos: e.NamePos, Raw: e.Name.Name, Value: e.Name.Name}
		return operation(opField, e.Dot, r.expr(e.X), name)
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.key(e.Y)
	case *syntax.LambdaExpr:
		r.parameters(e.Params)
		e.Body = r.expr(e.Body)
	case *syntax.ListExpr:
		r.list(e.List)
	case *syntax.ParenExpr:
		e.X = r.expr(e.X)
	case *syntax.SliceExpr:
		e.X = operation(opSlice, e.Lbrack, r.expr(e.X))
		r.maybe(&e.Lo)
		r.maybe(&e.Hi)
		r.maybe(&e.Step)
	case *syntax.TupleExpr:
		r.list(e.List)
	case *syntax.UnaryExpr:
		r.maybe(&e.X)
	default:
		r.refuse(syntax.Start(e), "this expression is not for policy scripts")
	}
	return e
}

// arguments rewrites the arguments of a call: x, name=x, *x and **x.
func (r *rewriter) arguments(args []syntax.Expr) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ {
				arg.Y = r.expr(arg.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR || arg.Op == syntax.STARSTAR {
				arg.X = operation(opCopy, arg.OpPos, r.expr(arg.X))
				continue
			}
		}
		args[i] = r.expr(arg)
	}
}

func (r *rewriter) comprehension(e *syntax.Comprehension) {
	e.Body = r.expr(e.Body)
	for _, clause := range e.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = r.target(c.Vars), r.expr(c.X)
		case *syntax.IfClause:
			c.Cond = r.expr(c.Cond)
		}
	}
}
