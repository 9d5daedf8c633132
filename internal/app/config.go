package app

import (
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/graphql"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/store"
)

// config is how a process was asked to run.
type config struct {
	db            string
	dataDir       string
	connections   number
	pooler        string
	listen        string
	metricsListen string
	baseURL       string
	webhookAllow  []netip.Prefix
	proxies       []netip.Prefix // whose word about the client is believed
	logFormat     string
	secretKey     string
	testPayments  bool
	stripe        stripeConfig
	email         emailConfig
	quiet         bool // says nothing but what is wrong
	capacity      capacity
	// How many days finished entries of the webhook log are kept.
	keepDelivered, keepFailed *number
	maxResponse               *number // bytes of an answer of the API
	// maxDowntime is how many days the lifecycle may have stood still.
	maxDowntime *number
	// first is the credentials of the first API client; made up if nil.
	first *access.Credentials
	// admin is the address and password of the first user; made up if nil.
	admin *access.Credentials
}

// database adds the flags that say where the data is.
func (f *flags) database(c *config) {
	f.StringVar(&c.dataDir, "data-dir", "./tenantry-data", "directory of the SQLite database and the key file")
	f.StringVar(&c.db, "db", "", "the database: sqlite:PATH or postgres://… (default sqlite: in the data directory)")
	f.Var(&c.connections, "database-connections", "size of the PostgreSQL connection pool; 0 for as many as the server and the role allow, up to 16")
	f.StringVar(&c.pooler, "database-pooler", string(store.PoolerAuto), "pooler in front of PostgreSQL: auto, none, or transaction for PgBouncer in transaction mode")
}

// server adds the flags of serve.
func (f *flags) server(c *config) {
	f.StringVar(&c.listen, "listen", "127.0.0.1:8080", "address to listen on")
	f.StringVar(&c.metricsListen, "metrics-listen", "", "serve /metrics on this address instead of the main one")
	f.StringVar(&c.baseURL, "base-url", "", "address that clients use (default http:// and the listen address)")
	f.StringVar(&c.logFormat, "log-format", "auto", "text, json, or auto: text on a terminal")
	c.keepDelivered = f.number("keep-delivered-days", 30, "days that delivered events stay in the webhook log")
	c.keepFailed = f.number("keep-failed-days", 90, "days that events that were given up or superseded stay in the webhook log")
	c.maxResponse = f.number("max-response-bytes", graphql.MaxAnswer, "maximum size of an API response in bytes")
	f.capacity(&c.capacity)
	c.maxDowntime = f.number("max-downtime-days", 35, "days of downtime after which nothing is renewed or ended until somebody runs \"tenantry resume\"")
	f.BoolVar(&c.testPayments, "test-payments", false, "allow payment methods of TEST, which move no money, to every account")
	f.email(&c.email)
	f.networks(&c.webhookAllow, "webhook-allow", "private networks that webhooks may be sent to: CIDR,CIDR,…")
	f.networks(&c.proxies, "trusted-proxies", "networks of proxies whose Forwarded and X-Forwarded-For headers are trusted: CIDR,CIDR,…")
}

// networks adds a flag that is a list of networks.
func (f *flags) networks(into *[]netip.Prefix, name, about string) {
	f.Func(name, about, func(text string) error {
		for _, one := range strings.Split(text, ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(one))
			if err != nil {
				return fmt.Errorf("%q is not a network such as 10.0.0.0/8", one)
			}
			*into = append(*into, prefix)
		}
		return nil
	})
}

// finish fills in what depends on other settings and refuses what cannot work.
func (c *config) finish(env func(string) (string, bool)) error {
	if c.db == "" {
		c.db = "sqlite:" + filepath.Join(c.dataDir, "tenantry.db")
	}
	c.secretKey, _ = env("TENANTRY_SECRET_KEY")
	if n := c.connections; n != 0 && (n < store.MinConnections || n > 1000) {
		return usage("--database-connections must be 0 or from %d to 1000, not %d", store.MinConnections, n)
	}
	if !slices.Contains([]store.Pooler{"", store.PoolerAuto, store.PoolerNone, store.PoolerTransaction}, store.Pooler(c.pooler)) {
		return usage("--database-pooler must be auto, none or transaction, not %q", c.pooler)
	}
	return c.checkDB()
}

// checkDB does not repeat the address: there may be a password in it.
func (c *config) checkDB() error {
	if c.isSQLite() {
		if path := c.sqlitePath(); path == "" || path == ":memory:" {
			return usage("--db sqlite:PATH must name a file, such as sqlite:./tenantry.db")
		}
		return nil
	}
	u, err := url.Parse(c.db)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || !strings.HasPrefix(c.db, u.Scheme+"://") {
		return usage("--db must be sqlite:PATH or a valid postgres://USER@HOST/DATABASE")
	}
	return nil
}

// finishServer checks the settings of serve.
func (c *config) finishServer(env func(string) (string, bool)) (err error) {
	if err := checkAddress("listen", c.listen); err != nil {
		return err
	}
	if c.metricsListen != "" {
		if err := checkAddress("metrics-listen", c.metricsListen); err != nil {
			return err
		}
	}
	if !slices.Contains([]string{"auto", "text", "json"}, c.logFormat) {
		return usage("--log-format must be text, json or auto, not %q", c.logFormat)
	}
	if err := c.checkBaseURL(); err != nil {
		return err
	}
	for name, days := range map[string]*number{"keep-delivered-days": c.keepDelivered, "keep-failed-days": c.keepFailed, "max-downtime-days": c.maxDowntime} {
		if *days < 1 || *days > 3650 {
			return usage("--%s must be from 1 to 3650 days, not %d", name, *days)
		}
	}
	if *c.maxResponse < 64<<10 || *c.maxResponse > 1<<30 {
		return usage("--max-response-bytes must be from 65536 to 1073741824, not %d", *c.maxResponse)
	}
	if err := c.capacity.check(); err != nil {
		return err
	}
	if err := c.checkSecretKey(); err != nil {
		return err
	}
	if c.stripe, err = givenStripe(env); err != nil {
		return err
	}
	if err := c.email.check(); err != nil {
		return err
	}
	if c.first, err = givenCredentials(env); err != nil {
		return err
	}
	c.admin, err = givenAdmin(env)
	return err
}

func (c *config) checkBaseURL() error {
	if c.baseURL == "" {
		return nil
	}
	u, err := url.Parse(c.baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(c.baseURL, "?#") {
		return usage("--base-url must be an address such as https://billing.example.com, without user, query and fragment")
	}
	c.baseURL = strings.TrimRight(c.baseURL, "/")
	return nil
}

// checkSecretKey refuses a key that cannot be the right one before anything is
// done to the database.
func (c *config) checkSecretKey() error {
	if c.secretKey == "" && !c.isSQLite() {
		return usage("PostgreSQL needs TENANTRY_SECRET_KEY: a random text of %d characters or more that all replicas share, "+
			"such as \"openssl rand -base64 32\" prints; keep it, secrets in the database cannot be read without it", secret.MinKey)
	}
	if c.secretKey == "" {
		return nil
	}
	if _, err := secret.NewBox(c.secretKey); err != nil {
		return usage("TENANTRY_SECRET_KEY: %s", err)
	}
	return nil
}

func (c *config) isSQLite() bool { return strings.HasPrefix(c.db, "sqlite:") }

func (c *config) sqlitePath() string { return strings.TrimPrefix(c.db, "sqlite:") }
