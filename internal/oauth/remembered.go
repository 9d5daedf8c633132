package oauth

import (
	"crypto/sha256"
	"sync"
)

const (
	shards = 16
	// shardSize is how many tokens each half of a shard holds; 10,000 in all.
	shardSize = 10_000 / shards / 2
)

// remembered is the tokens that were verified lately, by their hash. It is
// split so that requests do not wait for each other.
type remembered [shards]shard

// shard has a newer and an older half. When the newer one is full it becomes
// the older one, and what nobody asked for since is forgotten: close enough to
// forgetting the longest unused, for the price of a map.
type shard struct {
	mu           sync.RWMutex
	newer, older map[[sha256.Size]byte]*grant
}

func (r *remembered) find(sum [sha256.Size]byte) *grant {
	s := &r[sum[0]%shards]
	s.mu.RLock()
	g, newer := s.newer[sum]
	if !newer {
		g = s.older[sum]
	}
	s.mu.RUnlock()
	if g != nil && !newer {
		s.add(sum, g)
	}
	return g
}

func (r *remembered) add(sum [sha256.Size]byte, g *grant) { r[sum[0]%shards].add(sum, g) }

func (s *shard) add(sum [sha256.Size]byte, g *grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newer == nil || len(s.newer) >= shardSize {
		s.older, s.newer = s.newer, make(map[[sha256.Size]byte]*grant)
	}
	s.newer[sum] = g
}
