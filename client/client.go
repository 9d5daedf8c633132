package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one Tenantry. Make it with New or NewWith, once, and share it.
type Client struct {
	base    string
	http    *http.Client
	timeout time.Duration
	retry   retryPolicy
	agent   string
	tokens  *tokenSource
}

// Config is all that can be set of a client. Zero values mean the defaults.
type Config struct {
	// BaseURL is where Tenantry is, for example https://billing.example.com.
	BaseURL string
	// ClientID and ClientSecret are the credentials of an API client.
	ClientID, ClientSecret string
	// Scopes to ask for; standard:read and standard:write if there are none.
	Scopes []string

	// HTTPClient makes the requests; its Timeout and redirects are left to
	// this package. By default there is one of its own.
	HTTPClient *http.Client
	// Timeout is for one try, 30 seconds by default. The whole call ends with
	// its context.
	Timeout time.Duration
	// MaxTries is how often a request is made before its failure is returned,
	// 5 by default; 1 means never again.
	MaxTries int
	// MaxWait is the longest pause between two tries, 30 seconds by default. A
	// server that asks for a longer one gets no further try.
	MaxWait time.Duration
	// UserAgent names your program, in front of the name of this library.
	UserAgent string

	// Now and Wait replace the clock by which tokens run out and the pauses
	// between tries, in tests. Wait returns early, with an error, when the
	// context is over.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

const (
	defaultTimeout  = 30 * time.Second
	defaultTries    = 5
	defaultMaxWait  = 30 * time.Second
	maxResponseSize = 256 << 20
	libraryAgent    = "tenantry-go"
)

// New makes a client with the defaults. Without scopes it asks for
// standard:read and standard:write. No request is made before the first call.
func New(baseURL, clientID, clientSecret string, scopes ...string) (*Client, error) {
	return NewWith(Config{BaseURL: baseURL, ClientID: clientID, ClientSecret: clientSecret, Scopes: scopes})
}

// NewWith makes a client. It fails if the configuration cannot work.
func NewWith(config Config) (*Client, error) {
	base, err := parseBase(config.BaseURL)
	if err != nil {
		return nil, err
	}
	if config.ClientID == "" || config.ClientSecret == "" {
		return nil, errors.New("tenantry: the client id and the client secret are needed; make them in the console or with tenantry client create")
	}
	if config.Timeout < 0 || config.MaxTries < 0 || config.MaxWait < 0 {
		return nil, errors.New("tenantry: Timeout, MaxTries and MaxWait must not be negative")
	}
	if len(config.Scopes) == 0 {
		config.Scopes = []string{"standard:read", "standard:write"}
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Wait == nil {
		config.Wait = pause
	}
	c := &Client{
		base:    base,
		http:    withoutRedirects(config.HTTPClient),
		timeout: orDefault(config.Timeout, defaultTimeout),
		retry:   retryPolicy{orDefault(config.MaxTries, defaultTries), orDefault(config.MaxWait, defaultMaxWait), config.Wait},
		agent:   strings.TrimSpace(config.UserAgent + " " + libraryAgent),
	}
	c.tokens = &tokenSource{
		url: base + "/oauth/token",
		form: url.Values{
			"grant_type": {"client_credentials"}, "scope": {strings.Join(config.Scopes, " ")},
			"client_id": {config.ClientID}, "client_secret": {config.ClientSecret},
		}.Encode(),
		send: c.send, retry: c.retry, now: config.Now,
	}
	return c, nil
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func parseBase(text string) (string, error) {
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("tenantry: the base URL cannot be read: %w", err)
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return "", fmt.Errorf("tenantry: the base URL must be like https://billing.example.com, not %q", text)
	case base.RawQuery != "" || base.Fragment != "" || base.User != nil:
		return "", errors.New("tenantry: the base URL must have no user, query or fragment")
	}
	return strings.TrimRight(base.String(), "/"), nil
}

// withoutRedirects keeps tokens and secrets from being sent to an address
// that nobody configured.
func withoutRedirects(given *http.Client) *http.Client {
	own := &http.Client{}
	if given != nil {
		*own = *given
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 32
		own.Transport = transport
	}
	own.Timeout = 0 // each try has its own
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return own
}
