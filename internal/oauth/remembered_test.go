package oauth

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

func sumOf(i int) [sha256.Size]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

func TestRememberedTokensAreBounded(t *testing.T) {
	var r remembered
	used := sumOf(-1)
	r.add(used, &grant{clientID: "used"})
	for i := range 100_000 {
		r.add(sumOf(i), &grant{})
		if g := r.find(used); g == nil || g.clientID != "used" {
			t.Fatalf("the one that is used all the time is forgotten after %d", i)
		}
	}
	count := 0
	for i := range r {
		count += len(r[i].newer) + len(r[i].older)
	}
	if count > 10_000 || count < 5_000-shards {
		t.Errorf("%d tokens are remembered", count)
	}
	if r.find(sumOf(0)) != nil {
		t.Error("one that nobody used for long is remembered")
	}
	if r.find(sumOf(99_999)) == nil {
		t.Error("the last one is not remembered")
	}
}
