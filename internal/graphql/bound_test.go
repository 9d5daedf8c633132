package graphql

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// TestErrorsInOrder: errors stand in the order of the document and of the
// answer, whichever field failed first.
func TestErrorsInOrder(t *testing.T) {
	at := func(line, column int, path ...ast.PathElement) *gqlerror.Error {
		return &gqlerror.Error{Path: path, Locations: []gqlerror.Location{{Line: line, Column: column}}}
	}
	name, index := func(s string) ast.PathElement { return ast.PathName(s) }, func(i int) ast.PathElement { return ast.PathIndex(i) }
	want := gqlerror.List{
		{Message: "of no field"},
		at(1, 9, name("accounts")),
		at(2, 3, name("invoices"), index(2), name("files")),
		at(2, 3, name("invoices"), index(10), name("files")),
		at(2, 20, name("products")),
		at(3, 1, name("account")),
	}
	for range 20 {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if inOrder(got); !slices.Equal(got, want) {
			t.Fatalf("in the order %v", got)
		}
	}
}
