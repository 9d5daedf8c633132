package webhook

import (
	"slices"
	"testing"
)

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://app.example.com/hooks?a=b": "https://app.example.com", "HTTPS://App.Example.COM:443": "https://app.example.com",
		"http://app.example.com:80/": "http://app.example.com", "http://app.example.com:443/": "http://app.example.com:443",
		"https://app.example.com:8443": "https://app.example.com:8443", "https://[::1]:9/x": "https://[::1]:9", "https://[::1]/x": "https://[::1]",
		"": "", "nowhere": "", "https:///x": "",
	} {
		if got := Origin(address); got != want {
			t.Errorf("%q has the origin %q, want %q", address, got, want)
		}
	}
}

func TestNeededSecrets(t *testing.T) {
	const a = "https://a.example"
	none, elsewhere, here := "", "https://b.example", a
	for _, c := range []struct {
		name, url, tokenFor string
		headersFor          *string
		want                []string
	}{
		{"the same", a, a, &here, nil},
		{"another path", a + "/hooks", a, &here, nil},
		{"a query", a + "?a=b", a, &here, nil},
		{"written otherwise", "HTTPS://A.example:443/x", a, &here, nil},
		{"an address in place of its origin", a + "/x", a + "/before", &here, nil},
		{"another host", a, "https://b.example", &here, []string{SecretAuthToken}},
		{"a host that begins alike", a + ".evil.example/", a, nil, []string{SecretAuthToken}},
		{"a user that looks alike", a + "@evil.example/", a, nil, []string{SecretAuthToken}},
		{"another scheme", "http://a.example", a, nil, []string{SecretAuthToken}},
		{"another port", a + ":8443/", a, nil, []string{SecretAuthToken}},
		{"no address then", a, "", &none, []string{SecretAuthToken, SecretHeaders}},
		{"headers of another host", a, a, &elsewhere, []string{SecretHeaders}},
		{"no address now", "", "https://b.example", &elsewhere, nil},
	} {
		p := &Platform{AuthTokenSealed: "sealed", AuthTokenFor: c.tokenFor}
		if c.url != "" {
			p.WebhookURL = &c.url
		}
		var got []string
		for _, n := range NeededSecrets(p, &Workflow{HeadersFor: c.headersFor}) {
			got = append(got, n.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	url, header := a, "X-Signature"
	p := &Platform{WebhookURL: &url, PlainSignatureKeySealed: "sealed", PlainSignatureKeyFor: "https://b.example"}
	if got := NeededSecrets(p, &Workflow{}); got != nil {
		t.Errorf("a key that is not used is needed: %v", got)
	}
	p.PlainSignatureHeader = &header
	if got := NeededSecrets(p, &Workflow{}); len(got) != 1 || got[0].Name != SecretPlainKey {
		t.Errorf("needed: %v", got)
	}
}
