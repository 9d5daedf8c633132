package node

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Connection is a page of a list with what is needed to go on from it.
type Connection[N any] struct {
	Edges    []*Edge[N]
	Nodes    []*N
	PageInfo *PageInfo
	count    func(context.Context) (int, error)
}

// TotalCount counts the whole list. It costs a statement of its own, so it is
// done only when asked for.
func (c *Connection[N]) TotalCount(ctx context.Context) (int, error) { return c.count(ctx) }

// Edge is a node with its place in the list.
type Edge[N any] struct {
	Cursor string
	Node   *N
}

// PageInfo says where a page is in its list.
type PageInfo struct {
	StartCursor, EndCursor       *string
	HasNextPage, HasPreviousPage bool
}

// NewConnection makes a page of nodes that were asked for with one more than
// first, so that it is known whether there are more.
func NewConnection[N any](nodes []*N, id func(*N) int64, first int, after int64, count func(context.Context) (int, error)) *Connection[N] {
	c := &Connection[N]{PageInfo: &PageInfo{HasPreviousPage: after > 0}, count: count}
	if len(nodes) > first {
		nodes = nodes[:first]
		c.PageInfo.HasNextPage = true
	}
	c.Nodes = nodes
	c.Edges = make([]*Edge[N], len(nodes))
	for i, n := range nodes {
		c.Edges[i] = &Edge[N]{Cursor: cursor(id(n)), Node: n}
	}
	if len(nodes) > 0 {
		c.PageInfo.StartCursor, c.PageInfo.EndCursor = &c.Edges[0].Cursor, &c.Edges[len(nodes)-1].Cursor
	}
	return c
}

const cursorPrefix = "id:"

func cursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + strconv.FormatInt(id, 10)))
}

// ParseCursor returns the id that a cursor stands for.
func ParseCursor(text string) (int64, error) {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		if number, ok := strings.CutPrefix(string(bytes), cursorPrefix); ok {
			if id, err := strconv.ParseInt(number, 10, 64); err == nil && id >= 0 {
				return id, nil
			}
		}
	}
	return 0, billing.Fail(billing.Invalid, "after", "%q is not a cursor; use the endCursor of a page you got.", text)
}
