package app

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// config is how a process was asked to run.
type config struct {
	db            string
	dataDir       string
	listen        string
	metricsListen string
	baseURL       string
	webhookAllow  []netip.Prefix
	logFormat     string
	secretKey     string
}

// flags reads flags, and for those that were not given their variables.
type flags struct {
	*flag.FlagSet
	env func(string) (string, bool)
}

func newFlags(p Process, name string) *flags {
	set := flag.NewFlagSet("tenantry "+name, flag.ContinueOnError)
	set.SetOutput(p.Stdout)
	set.Usage = func() {
		fmt.Fprintf(p.Stdout, "Flags of tenantry %s:\n", name)
		set.VisitAll(func(f *flag.Flag) {
			fmt.Fprintf(p.Stdout, "  --%-16s %s", f.Name, f.Usage)
			if f.DefValue != "" {
				fmt.Fprintf(p.Stdout, " (default %s)", f.DefValue)
			}
			fmt.Fprintf(p.Stdout, " [%s]\n", variable(f.Name))
		})
	}
	return &flags{set, p.Env}
}

func variable(flagName string) string {
	return "TENANTRY_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// parse reads the arguments. Positional arguments may stand before or after
// flags; there must be as many as names.
func (f *flags) parse(args []string, names ...string) ([]string, error) {
	quiet := f.Output()
	var positional []string
	for {
		f.SetOutput(discard{})
		err := f.Parse(args)
		f.SetOutput(quiet)
		if errors.Is(err, flag.ErrHelp) {
			f.Usage()
			return nil, err
		}
		if err != nil {
			return nil, usage("%s; run \"%s --help\" for the flags", strings.ReplaceAll(err.Error(), " -", " --"), f.Name())
		}
		if f.NArg() == 0 {
			break
		}
		positional = append(positional, f.Arg(0))
		args = f.Args()[1:]
	}
	if len(positional) != len(names) {
		return nil, usage("%s takes %s", f.Name(), describe(names))
	}
	return positional, f.fromEnvironment()
}

func describe(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, " ")
}

// fromEnvironment sets the flags that were not given from their variables.
func (f *flags) fromEnvironment() error {
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	var wrong error
	f.VisitAll(func(one *flag.Flag) {
		value, set := f.env(variable(one.Name))
		if given[one.Name] || !set || value == "" || wrong != nil {
			return
		}
		if err := one.Value.Set(value); err != nil {
			wrong = usage("%s: %q is not a value for --%s", variable(one.Name), value, one.Name)
		}
	})
	return wrong
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// database adds the flags that say where the data is.
func (f *flags) database(c *config) {
	f.StringVar(&c.dataDir, "data-dir", "./tenantry-data", "where the SQLite file and the key file are kept")
	f.StringVar(&c.db, "db", "", "the database: sqlite:PATH or postgres://… (default sqlite: in the data directory)")
}

// server adds the flags of serve.
func (f *flags) server(c *config) {
	f.StringVar(&c.listen, "listen", "127.0.0.1:8080", "the address to listen on")
	f.StringVar(&c.metricsListen, "metrics-listen", "", "serve /metrics on this address instead of the main one")
	f.StringVar(&c.baseURL, "base-url", "", "the address that clients use (default http:// and the listen address)")
	f.StringVar(&c.logFormat, "log-format", "auto", "text, json, or auto: text on a terminal")
	f.Func("webhook-allow", "private networks that webhooks may go to: CIDR,CIDR,…", func(text string) error {
		for _, one := range strings.Split(text, ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(one))
			if err != nil {
				return fmt.Errorf("%q is not a network such as 10.0.0.0/8", one)
			}
			c.webhookAllow = append(c.webhookAllow, prefix)
		}
		return nil
	})
}

// finish fills in what depends on other settings and refuses what cannot work.
func (c *config) finish(env func(string) (string, bool)) error {
	if c.db == "" {
		c.db = "sqlite:" + filepath.Join(c.dataDir, "tenantry.db")
	}
	if !strings.HasPrefix(c.db, "sqlite:") && !strings.HasPrefix(c.db, "postgres://") && !strings.HasPrefix(c.db, "postgresql://") {
		return usage("--db must be sqlite:PATH or postgres://…, not %q", c.db)
	}
	c.secretKey, _ = env("TENANTRY_SECRET_KEY")
	return nil
}

// finishServer checks the flags of serve.
func (c *config) finishServer() error {
	for name, address := range map[string]string{"listen": c.listen, "metrics-listen": c.metricsListen} {
		if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
			return usage("--%s must be HOST:PORT, such as 127.0.0.1:8080, not %q", name, address)
		}
	}
	if !slices.Contains([]string{"auto", "text", "json"}, c.logFormat) {
		return usage("--log-format must be text, json or auto, not %q", c.logFormat)
	}
	if c.baseURL == "" {
		return nil
	}
	u, err := url.Parse(c.baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return usage("--base-url must be an address such as https://billing.example.com, not %q", c.baseURL)
	}
	c.baseURL = strings.TrimRight(c.baseURL, "/")
	return nil
}

func (c *config) isSQLite() bool { return strings.HasPrefix(c.db, "sqlite:") }

func (c *config) sqlitePath() string { return strings.TrimPrefix(c.db, "sqlite:") }
