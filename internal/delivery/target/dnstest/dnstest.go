// Package dnstest is a DNS server for tests that gives each lookup of a name the
// next answer from a list, like an attacker who changes a name between lookups.
package dnstest

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"testing"
)

// Resolver returns a resolver that asks a server on this machine. Each look-up
// is answered with the IPv4 addresses of the next answer; the last one is
// repeated. Names are not told apart; an empty answer says that there is no
// such name.
func Resolver(t testing.TB, answers ...[]netip.Addr) *net.Resolver {
	t.Helper()
	listener, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{answers: answers}
	var running sync.WaitGroup
	running.Go(func() { s.serve(listener) })
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", listener.LocalAddr().String())
	}}
}

type server struct{ answers [][]netip.Addr }

func (s *server) serve(listener net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := listener.ReadFrom(buffer)
		if err != nil {
			return
		}
		if reply := s.reply(buffer[:n]); reply != nil {
			_, _ = listener.WriteTo(reply, from)
		}
	}
}

const (
	headerSize = 12
	typeA      = 1
	response   = 0x8180 // an answer, and recursion is available
	noSuchName = 3
)

// reply answers one question for an IPv4 address; about others it says that
// there are none.
func (s *server) reply(query []byte) []byte {
	end := headerSize
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	if end+5 > len(query) {
		return nil
	}
	question := query[headerSize : end+5]
	var addresses []netip.Addr
	if binary.BigEndian.Uint16(query[end+1:]) == typeA {
		addresses = s.next()
	}
	flags := uint16(response)
	if len(s.answers[0]) == 0 {
		flags |= noSuchName
	}
	reply := append([]byte{}, query[:2]...)
	for _, n := range []uint16{flags, 1, uint16(len(addresses)), 0, 0} {
		reply = binary.BigEndian.AppendUint16(reply, n)
	}
	reply = append(reply, question...)
	for _, address := range addresses {
		b := address.As4()
		// A pointer to the name, type, class, no time to live, four bytes.
		reply = append(reply, 0xc0, headerSize, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, b[:]...)
	}
	return reply
}

// next takes the next answer and leaves the last.
func (s *server) next() []netip.Addr {
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return answer
}
