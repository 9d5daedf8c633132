package graphql

import (
	"context"
	"reflect"
	"strings"
	"sync"

	gql "github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// resolver answers the root fields; everything below them is in package node.
type resolver struct {
	service *service.Service
	reader  *node.Reader
}

func (r *resolver) Query() gen.QueryResolver       { return query{r} }
func (r *resolver) Mutation() gen.MutationResolver { return mutation{r} }

type query struct{ *resolver }
type mutation struct{ *resolver }

func (r *resolver) q() store.Queries { return r.service.Read() }

// Lists have pages of this size unless the caller says otherwise.
const (
	defaultLimit = 50
	maxLimit     = 1000
)

func pageOf(filter *string, argument string, limit *int) (store.Page, error) {
	page := store.Page{Limit: defaultLimit}
	if limit != nil {
		if page.Limit = *limit; page.Limit < 1 || page.Limit > maxLimit {
			return page, billing.Fail(billing.Invalid, argument, "%s must be from 1 to %d, not %d.", argument, maxLimit, page.Limit)
		}
	}
	if filter == nil {
		return page, nil
	}
	var err error
	page.Filter, err = billing.ParseFilter(*filter)
	return page, err
}

// list answers a plain list of a table.
func list[T any, K ~int64, N any](ctx context.Context, r *resolver, table *store.Table[T, K], nodes func([]T) []*N, filter *string, limit *int) ([]*N, error) {
	page, err := pageOf(filter, "limit", limit)
	if err != nil {
		return nil, err
	}
	page.Only = columns[T, K, N](ctx, table)
	rows, err := table.List(ctx, r.q(), page)
	if err != nil {
		return nil, err
	}
	return nodes(rows), nil
}

// connect answers a page of a table with cursors.
func connect[T any, K ~int64, N any](ctx context.Context, r *resolver, table *store.Table[T, K], nodes func([]T) []*N, id func(*N) int64,
	first *int, after, filter *string,
) (*node.Connection[N], error) {
	return connectBy(ctx, r, table.List, table.Count, nodes, id, first, after, filter)
}

// connectBy is connect for what is listed and counted in other ways.
func connectBy[T, N any](ctx context.Context, r *resolver, list func(context.Context, store.Queries, store.Page) ([]T, error),
	countAll func(context.Context, store.Queries, billing.Filter) (int, error), nodes func([]T) []*N, id func(*N) int64,
	first *int, after, filter *string,
) (*node.Connection[N], error) {
	page, err := pageOf(filter, "first", first)
	if err != nil {
		return nil, err
	}
	if after != nil && *after != "" {
		if page.After, err = node.ParseCursor(*after); err != nil {
			return nil, err
		}
	}
	size := page.Limit
	page.Limit++
	rows, err := list(ctx, r.q(), page)
	if err != nil {
		return nil, err
	}
	count := func(ctx context.Context) (int, error) { return countAll(ctx, r.q(), page.Filter) }
	return node.NewConnection(nodes(rows), id, size, page.After, count), nil
}

// one makes a node of a row that may be missing.
func one[T, N any](row *T, err error, nodes func([]T) []*N) (*N, error) {
	if err != nil || row == nil {
		return nil, err
	}
	return nodes([]T{*row})[0], nil
}

// byIDOrCode finds a thing by whichever the caller gave; both must mean the
// same one.
func byIDOrCode[T any, K ~int64](ctx context.Context, r *resolver, table *store.Table[T, K], id *int64, code *string,
	byCode func(ctx context.Context, q store.Queries, code string) (*T, error),
) (*T, error) {
	switch {
	case id == nil && code == nil:
		return nil, billing.Fail(billing.Required, "id", "Give an id or a code.")
	case code == nil:
		return table.Get(ctx, r.q(), K(*id))
	case !billing.IsCode(*code):
		return nil, nil
	}
	row, err := byCode(ctx, r.q(), *code)
	if err != nil || row == nil || id == nil {
		return row, err
	}
	if table.ID(row) != K(*id) {
		return nil, nil
	}
	return row, nil
}

// columns returns which columns the selected fields need, or nil for all: as
// soon as a field is not a column as it is kept, whatever it may need is read.
func columns[T any, K ~int64, N any](ctx context.Context, table *store.Table[T, K]) []string {
	var names []string
	for _, field := range gql.CollectFieldsCtx(ctx, nil) {
		if field.Name == "__typename" {
			continue
		}
		column, has := table.ColumnOf(field.Name)
		if !has || isComputed(reflect.TypeFor[*N](), field.Name) {
			return nil
		}
		names = append(names, column)
	}
	return names
}

// isComputed reports whether a node has a method for a field, which may need
// other columns than that of its name: amounts need their currency.
func isComputed(node reflect.Type, field string) bool {
	of := nodeField{node, field}
	if is, known := computed.Load(of); known {
		return is.(bool)
	}
	is := false
	for method := range node.Methods() {
		is = is || strings.EqualFold(method.Name, field)
	}
	computed.Store(of, is)
	return is
}

// computed remembers isComputed: going through the methods of a type takes longer than
// reading a row.
var computed sync.Map // by nodeField

type nodeField struct {
	node reflect.Type
	name string
}
