package search

import (
	"math"

	"github.com/tenantry/tenantry/internal/store/db"
)

// Bounds are two ids, neither of which is meant.
type Bounds struct{ Low, High int64 }

var anyID = Bounds{0, math.MaxInt64}

// empty says that there is nothing between them.
func (b Bounds) empty() bool { return b.High-b.Low <= 1 }

// before are the bounds of what comes before an id.
func (b Bounds) before(id int64, backwards bool) Bounds {
	if backwards {
		b.Low = id
	} else {
		b.High = id
	}
	return b
}

// Beyond are the bounds of what a page may hold.
func (b Bounds) Beyond(p Page) Bounds {
	switch {
	case p.After <= 0:
	case p.Backwards:
		b.High = min(b.High, p.After)
	default:
		b.Low = max(b.Low, p.After)
	}
	return b
}

// Narrow keeps the rows of a SELECT with ids within the bounds.
func (b Bounds) Narrow(s *db.Select, key string) {
	if b.Low > anyID.Low {
		s.Where(key+" > %s", b.Low)
	}
	if b.High < anyID.High {
		s.Where(key+" < %s", b.High)
	}
}
