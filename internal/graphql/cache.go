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

func newDocumentCache() documentCache {
	return documentCache{lru.New[*ast.QueryDocument](cachedDocuments)}
}

// Add keeps a document, unless it is too large to be asked for often.
func (c documentCache) Add(ctx context.Context, text string, doc *ast.QueryDocument) {
	if len(text) <= cachedSize {
		c.LRU.Add(ctx, text, doc)
	}
}
