package app

import (
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/admission"
)

const (
	// A request waits for its turn for queueTime at most; queueLength times as
	// many wait as run.
	queueTime, queueLength = time.Second, 8
	// unreadAnswers is how many answers of the largest size may wait for slow
	// readers.
	unreadAnswers = 8
	// mostConnections is what a server takes unless it is told, or the system
	// allows less.
	mostConnections = 10_000
)

// capacity is what the server and its callers may take; zero is the default of
// the first two, and no limit for the others.
type capacity struct {
	requests, connections                      number
	clientRequests, clientCPU, clientMegabytes number
}

// capacity adds the flags for what callers may take.
func (f *flags) capacity(c *capacity) {
	c.clientRequests, c.clientCPU, c.clientMegabytes = 100, number(45*runtime.GOMAXPROCS(0)), 4096
	f.Var(&c.requests, "max-requests", "maximum number of concurrent API requests; 0 for 8 per core, at least 16")
	f.Var(&c.connections, "max-connections", "maximum number of open connections; 0 for 10,000, or fewer if the limit of open files is lower")
	f.Var(&c.clientRequests, "client-max-requests", "maximum number of concurrent requests of an API client or user; 0 for no limit")
	f.Var(&c.clientCPU, "client-max-cpu-seconds", "seconds of CPU time per minute of an API client or user; 0 for no limit")
	f.Var(&c.clientMegabytes, "client-max-megabytes", "MiB of requests and responses per minute of an API client or user; 0 for no limit")
}

func (c *capacity) check() error {
	for name, n := range map[string]number{
		"max-requests": c.requests, "max-connections": c.connections,
		"client-max-requests": c.clientRequests, "client-max-cpu-seconds": c.clientCPU, "client-max-megabytes": c.clientMegabytes,
	} {
		if n < 0 || n > 1_000_000 {
			return usage("--%s must be from 0 to 1000000, not %d", name, n)
		}
	}
	return nil
}

// entrance is what decides which requests run.
type entrance struct {
	api, console *admission.Gate
	budgets      *admission.Budgets
	unread       *admission.Room
	connections  *admission.Connections
}

// entrance makes the gates. The console has one of its own, so that people get in
// while programs keep the API busy.
func (c *capacity) entrance(elapsed func() time.Duration, maxAnswer int64) *entrance {
	cores := runtime.GOMAXPROCS(0)
	requests, pages := int(c.requests), max(8, 4*cores)
	if requests == 0 {
		requests = max(16, 8*cores)
	}
	connections := int(c.connections)
	if connections == 0 {
		connections = min(mostConnections, mostFiles()*3/4)
	}
	return &entrance{
		api:     admission.NewGate(requests, queueLength*requests, queueTime),
		console: admission.NewGate(pages, queueLength*pages, queueTime),
		budgets: admission.NewBudgets(admission.Limits{
			Requests: int(c.clientRequests), CPU: time.Duration(c.clientCPU) * time.Second, Bytes: int64(c.clientMegabytes) << 20,
		}, elapsed),
		unread:      admission.NewRoom(unreadAnswers * maxAnswer),
		connections: admission.NewConnections(connections),
	}
}

func (e *entrance) collectors() []prometheus.Collector {
	all := append(e.api.Collectors("api"), e.console.Collectors("console")...)
	all = append(append(all, e.budgets.Collectors()...), e.unread.Collectors()...)
	return append(all, e.connections.Collectors()...)
}

// serve answers on a listener with no more connections than allowed.
func (e *entrance) serve(s *http.Server, l net.Listener) error {
	s.ConnState = e.connections.State
	return s.Serve(e.connections.Listen(l))
}
