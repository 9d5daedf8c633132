package schema

import "github.com/vektah/gqlparser/v2/ast"

// outputFits says whether a client that reads the type old can read now. It
// may get non-null where it was ready for null, never the other way round.
func outputFits(old, now *ast.Type) bool {
	if old.NonNull && !now.NonNull {
		return false
	}
	return sameShape(old, now, outputFits)
}

// inputFits says whether a client that sends the type old can send it as now.
// It may be asked for less than it sends, never for more.
func inputFits(old, now *ast.Type) bool {
	if now.NonNull && !old.NonNull {
		return false
	}
	return sameShape(old, now, inputFits)
}

// sameShape says whether both are the same named type, or both are lists whose
// elements fit.
func sameShape(old, now *ast.Type, fits func(old, now *ast.Type) bool) bool {
	if old.Elem == nil || now.Elem == nil {
		return old.Elem == nil && now.Elem == nil && old.NamedType == now.NamedType
	}
	return fits(old.Elem, now.Elem)
}
