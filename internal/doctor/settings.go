package doctor

import (
	"context"
	"net"
	"net/netip"
	"net/url"
)

// checkSettings tells why a server would not start with these settings.
func checkSettings(_ context.Context, p *Patient) ([]Finding, error) {
	if p.Settings == nil {
		return nil, nil
	}
	f := fromError(p.Settings)
	f.Subject = "settings"
	if f.Remedy == "" {
		f.Remedy = "correct the flag or variable; \"tenantry help serve\" lists them"
	}
	return one(f)
}

// checkBaseURL finds a server for others whose address is not encrypted: tokens
// and passwords could be read on their way.
func checkBaseURL(_ context.Context, p *Patient) ([]Finding, error) {
	host, _, err := net.SplitHostPort(p.Listen)
	if err != nil || isLoopback(host) {
		return nil, nil
	}
	base, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || base.Scheme == "https":
		return nil, nil
	case p.BaseURL == "":
		return one(warning(p.Listen, "set --base-url or TENANTRY_BASE_URL to the address that clients and browsers use",
			"the server listens for others and has no base URL, which tokens and cookies are bound to"))
	case isLoopback(base.Hostname()):
		return nil, nil
	}
	return one(warning(p.BaseURL, "put a proxy with TLS before the server, and an https:// address into --base-url or TENANTRY_BASE_URL",
		"the base URL is not https://, so tokens and passwords travel in plain text"))
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
