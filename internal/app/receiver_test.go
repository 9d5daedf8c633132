package app

import (
	"net"
	"testing"
)

// TestWhereTheReceiverIs asks for the server's own receiver only where webhooks
// may go to it.
func TestWhereTheReceiverIs(t *testing.T) {
	for _, c := range []struct{ listen, base, want string }{
		{"127.0.0.1:0", "http://127.0.0.1:8080", "http://127.0.0.1:8080/receiver"},
		{"127.0.0.1:0", "http://localhost:8080/", "http://localhost:8080/receiver"},
		{"127.0.0.1:0", "http://billing.example.com", ""},
		{"127.0.0.1:0", "https://billing.example.com", "https://billing.example.com/receiver"},
		{"0.0.0.0:0", "http://127.0.0.1:8080", ""},
		{"0.0.0.0:0", "https://billing.example.com/", "https://billing.example.com/receiver"},
	} {
		listener, err := net.Listen("tcp", c.listen)
		if err != nil {
			t.Fatal(err)
		}
		s := &server{config: &config{baseURL: c.base}}
		if got := s.receiver(listener); got != c.want {
			t.Errorf("on %s for %s it is %q, want %q", c.listen, c.base, got, c.want)
		}
		listener.Close()
	}
}
