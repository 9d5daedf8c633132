package node

import (
	"context"
	"sync"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// Reader loads nodes.
type Reader struct {
	Service *service.Service
	// Has says whether the caller has a scope.
	Has func(ctx context.Context, scope string) bool
}

func (r *Reader) q() store.Queries { return r.Service.Read() }

// group is the rows that were loaded together, with the relations that have
// been loaded for all of them.
type group[T any] struct {
	reader *Reader
	rows   []T

	mu    sync.Mutex
	loads map[string]*load
}

type load struct {
	once  sync.Once
	value any
	err   error
}

// together loads a relation of all rows of a group, the first time it is asked
// for. name tells relations apart, arguments included.
func together[T, V any](g *group[T], name string, fetch func(rows []T) (V, error)) (V, error) {
	g.mu.Lock()
	if g.loads == nil {
		g.loads = map[string]*load{}
	}
	l := g.loads[name]
	if l == nil {
		l = new(load)
		g.loads[name] = l
	}
	g.mu.Unlock()
	l.once.Do(func() { l.value, l.err = fetch(g.rows) })
	value, _ := l.value.(V)
	return value, l.err
}

// wrap makes nodes of rows, in one group.
func wrap[T, N any](r *Reader, rows []T, make1 func(*T, *group[T]) N) []*N {
	g := &group[T]{reader: r, rows: rows}
	nodes := make([]N, len(rows))
	pointers := make([]*N, len(rows))
	for i := range rows {
		nodes[i] = make1(&rows[i], g)
		pointers[i] = &nodes[i]
	}
	return pointers
}

// one is what a row refers to; of reads the reference from every row of its
// group, for which all are loaded.
func one[T, N any, K comparable](ctx context.Context, g *group[T], name string, id K, of func(*T) K,
	byID func(*Reader, context.Context, []K) (map[K]*N, error),
) (*N, error) {
	found, err := together(g, name, func(rows []T) (map[K]*N, error) { return byID(g.reader, ctx, keys(rows, always(of))) })
	return found[id], err
}

// oneIfAny is one for a reference that may be missing.
func oneIfAny[T, N any, K comparable](ctx context.Context, g *group[T], name string, id *K, of func(*T) *K,
	byID func(*Reader, context.Context, []K) (map[K]*N, error),
) (*N, error) {
	if id == nil {
		return nil, nil
	}
	found, err := together(g, name, func(rows []T) (map[K]*N, error) { return byID(g.reader, ctx, keys(rows, maybe(of))) })
	return found[*id], err
}

// many are the rows of another table that refer to a row in one of their fields.
func many[T, C, N any, K, J ~int64](ctx context.Context, g *group[T], name string, id K, filter *string, table *store.Table[C, J], field string,
	own func(*T) K, nodes func(*Reader, []C) []*N, owner func(*N) K,
) ([]*N, error) {
	found, err := together(g, name+" "+text(filter), func(rows []T) (map[K][]*N, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		children, err := store.ChildrenOf(ctx, g.reader.q(), table, field, keys(rows, always(own)), parsed)
		return gather(nodes(g.reader, children), owner), err
	})
	return found[id], err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// index finds nodes by a key.
func index[N any, K comparable](nodes []*N, key func(*N) K) map[K]*N {
	byKey := make(map[K]*N, len(nodes))
	for _, n := range nodes {
		byKey[key(n)] = n
	}
	return byKey
}

// gather puts nodes together by a key, keeping their order.
func gather[N any, K comparable](nodes []*N, key func(*N) K) map[K][]*N {
	byKey := map[K][]*N{}
	for _, n := range nodes {
		byKey[key(n)] = append(byKey[key(n)], n)
	}
	return byKey
}

// keys returns the different keys of rows; key may say that a row has none.
func keys[T any, K comparable](rows []T, key func(*T) (K, bool)) []K {
	seen := make(map[K]bool, len(rows))
	list := make([]K, 0, len(rows))
	for i := range rows {
		if k, ok := key(&rows[i]); ok && !seen[k] {
			seen[k] = true
			list = append(list, k)
		}
	}
	return list
}

func always[T any, K comparable](key func(*T) K) func(*T) (K, bool) {
	return func(row *T) (K, bool) { return key(row), true }
}

func maybe[T any, K comparable](key func(*T) *K) func(*T) (K, bool) {
	return func(row *T) (K, bool) {
		if k := key(row); k != nil {
			return *k, true
		}
		var none K
		return none, false
	}
}
