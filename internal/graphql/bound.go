package graphql

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// maxMessage is how many bytes the message of an error may have. Messages
// repeat what is wrong, which may be as long as a request.
const maxMessage = 2_000

// bounded shortens a message that is too long.
func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := maxMessage
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}

// errorCount counts the errors of a request. Each field of each element of a
// list may fail, and nobody reads a hundred thousand errors.
type errorCount struct{ n atomic.Int64 }

type errorCountKey struct{}

func withErrorCount(ctx context.Context) (context.Context, *errorCount) {
	count := new(errorCount)
	return context.WithValue(ctx, errorCountKey{}, count), count
}

// isOneTooMany counts an error and reports whether enough are shown already.
func isOneTooMany(ctx context.Context) bool {
	count, has := ctx.Value(errorCountKey{}).(*errorCount)
	return has && count.n.Add(1) > maxErrors
}

// inOrder sorts errors by where in the document and in the answer they
// happened. Fields are resolved side by side and fail in any order; the same
// request should always be answered the same.
func inOrder(errs gqlerror.List) {
	slices.SortStableFunc(errs, func(a, b *gqlerror.Error) int {
		return cmp.Or(
			slices.CompareFunc(a.Locations, b.Locations, func(a, b gqlerror.Location) int {
				return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
			}),
			slices.CompareFunc(a.Path, b.Path, comparePlace))
	})
}

// comparePlace compares elements of lists; fields with one location have one name.
func comparePlace(a, b ast.PathElement) int {
	i, _ := a.(ast.PathIndex)
	j, _ := b.(ast.PathIndex)
	return cmp.Compare(i, j)
}

// rest is an error that stands for those that are not shown, if there are any.
func (c *errorCount) rest() gqlerror.List {
	if more := c.n.Load() - maxErrors; more > 0 {
		return tooMuch("There are %d more errors like these.", more)
	}
	return nil
}
