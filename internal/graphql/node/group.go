package node

import (
	"sync"

	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// Reader loads nodes.
type Reader struct {
	Service *service.Service
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

// index finds nodes by a key.
func index[N any, K comparable](nodes []*N, key func(*N) K) map[K]*N {
	byKey := make(map[K]*N, len(nodes))
	for _, n := range nodes {
		byKey[key(n)] = n
	}
	return byKey
}

// collect gathers nodes by a key, keeping their order.
func collect[N any, K comparable](nodes []*N, key func(*N) K) map[K][]*N {
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
