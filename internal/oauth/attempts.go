package oauth

import (
	"hash/maphash"
	"net"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/forwarded"
)

var (
	wrongPace = admission.Pace{Interval: time.Second, Burst: 1000}
	wrongSeed = maphash.MakeSeed()
)

// maxWrong is how many pairs of client id and address are remembered.
const maxWrong = 100_000

// countWrong counts wrong credentials by client id and source address. It returns
// how long the caller has to wait if there were too many, else 0.
func (s *Server) countWrong(clientID, remoteAddr string) (wait time.Duration) {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	// A hash of the pair takes no more room for a long client id. The seed is
	// random, so that nobody can aim at the attempts of somebody else.
	key := maphash.Comparable(wrongSeed, [2]string{clientID, forwarded.Network(host)})
	return s.wrong.Take(admission.Allowance[uint64]{Key: key, Pace: wrongPace})
}
