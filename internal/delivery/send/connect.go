package send

import (
	"cmp"
	"context"
	"net"
	"net/url"
)

// Reach makes a connection to a receiver as a webhook would, and closes it:
// nothing is sent. Kind says in a word what failed.
func (s *Sender) Reach(ctx context.Context, raw string) (kind string, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Invalid, err
	}
	dial, port := s.transport.DialContext, "80"
	if u.Scheme == "https" {
		dial, port = s.transport.DialTLSContext, "443"
	}
	made, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)))
	if err != nil {
		return kindOf(err, ctx), &failure{err}
	}
	return "", made.Close()
}
