package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// lookupTimeout bounds how long saving a platform waits for a name.
const lookupTimeout = 2 * time.Second

// CheckURL judges the URL of a platform when it is saved. A name is looked up:
// if all its addresses are refused, so is the URL, and the error is a *Refused.
// A name that has no address now may have one later and is accepted; Control
// judges it then.
func (p *Policy) CheckURL(ctx context.Context, raw string) error {
	u, wrong := webhook.ReadURL(raw)
	if wrong != "" {
		return errors.New(wrong)
	}
	secure, host := u.Scheme == "https", u.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		return p.Check(address, secure)
	}
	if looksNumeric(host) {
		return fmt.Errorf("the host %s is neither a name nor an IP address: write an IPv4 address as four decimal numbers", host)
	}
	return p.checkName(ctx, host, secure)
}

// looksNumeric finds hosts that some resolvers read as IPv4 addresses, such as
// 127.1 or 0x7f000001: no name ends in a number.
func looksNumeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil {
		return true
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

func (p *Policy) checkName(ctx context.Context, host string, secure bool) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	resolver := p.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addresses, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // it may get an address later
	}
	var refused error
	for _, address := range addresses {
		err := p.Check(address, secure)
		if err == nil {
			return nil
		}
		if r := (*Refused)(nil); refused == nil && errors.As(err, &r) {
			refused = &Refused{host + " (" + r.Address + ")", r.Reason}
		}
	}
	return refused
}
