package graphql

import (
	"context"

	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
)

const (
	cachedDocuments = 1000
	// cachedSize keeps rare huge documents from filling the memory.
	cachedSize = 8 << 10
)

// documentCache keeps parsed and validated documents by their text.
type documentCache struct{ *lru.LRU[*ast.QueryDocument] }

type validated struct{}

// withDocument hands the executor the document of a request.
func withDocument(ctx context.Context, doc *ast.QueryDocument) context.Context {
	return context.WithValue(ctx, validated{}, doc)
}

func newDocumentCache() documentCache {
	return documentCache{lru.New[*ast.QueryDocument](cachedDocuments)}
}

// Get returns the document of the request if it has one already, else the one
// that is kept.
func (c documentCache) Get(ctx context.Context, text string) (*ast.QueryDocument, bool) {
	if doc, has := ctx.Value(validated{}).(*ast.QueryDocument); has {
		return doc, true
	}
	return c.LRU.Get(ctx, text)
}

// Add keeps a document, unless it is too large to be asked for often.
func (c documentCache) Add(ctx context.Context, text string, doc *ast.QueryDocument) {
	if len(text) <= cachedSize {
		c.LRU.Add(ctx, text, doc)
	}
}
