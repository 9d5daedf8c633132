package db_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// link is a network between a process and PostgreSQL that can be cut off.
type link struct {
	net.Listener
	deaf bool // it carries nothing to the server either once it was cut
	cut  chan struct{}
	to   chan *net.TCPConn // the connections that it made
}

func newLink(t *testing.T, server string, deaf bool) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &link{listener, deaf, make(chan struct{}), make(chan *net.TCPConn, 10)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				from.Close()
				continue
			}
			t.Cleanup(func() { from.Close(); to.Close() })
			l.to <- to.(*net.TCPConn)
			go func() { _, _ = io.Copy(from, to) }() // until the test ends
			go l.carry(to, from)
		}
	}()
	return l
}

// carry copies to the server what a process sends. It never closes the
// connection: a machine that lost its power does not say so.
func (l *link) carry(to io.Writer, from io.Reader) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-l.cut:
			if l.deaf {
				continue
			}
		default:
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// drop has the system throw away all packets that PostgreSQL sends, before it
// acknowledges them, as a network does that is gone.
func (l *link) drop(t *testing.T) {
	t.Helper()
	close(l.cut)
	raw, err := (<-l.to).SyscallConn()
	must(t, err)
	nothing := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K}}
	var failed error
	must(t, raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing[0]})
	}))
	must(t, failed)
}

// TestADroppedConnectionLosesItsLock: nobody tells PostgreSQL that a machine is
// gone. It finds out within seconds, also when an answer of its own is on the
// way, which the system would send again for a quarter of an hour.
func TestADroppedConnectionLosesItsLock(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("127.%d.%d.%d", 1+rand.N(250), rand.N(250), 1+rand.N(250))
	server := storetest.PostgresServer(t, storetest.ListenOn(address))
	database := &storetest.Database{Engine: "postgres", URL: server.URL("postgres"), Clock: storetest.NewClock()}
	s := database.Open(t)
	locked := func(number int) bool {
		const text = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = CAST(CAST($1 AS BIGINT) AS OID) AND objsubid = 2`
		n, err := s.Queries().Number(t.Context(), text, number)
		must(t, err)
		return n == 1
	}
	for number, deaf := range []bool{false, true} {
		t.Run(fmt.Sprintf("nothing reaches the server %t", deaf), func(t *testing.T) {
			t.Parallel()
			number += 1000
			l := newLink(t, address+":5432", deaf)
			ended := make(chan error, 1)
			go func() {
				ended <- db.AttendAt(context.Background(), "postgres://postgres@"+l.Addr().String()+"/postgres?sslmode=disable", int64(number))
			}()
			await(t, "it has the lock", func() bool { return locked(number) })
			l.drop(t)
			if err := <-ended; err == nil {
				t.Error("the process does not notice")
			}
			await(t, "the lock is gone", func() bool { return !locked(number) })
		})
	}
}

// await asks until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
