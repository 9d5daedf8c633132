package worker_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// visit is one request as an application saw it.
type visit struct {
	event    billing.EventID
	tenant   billing.TenantID
	sequence int
	attempt  int
	forced   bool
	by       string // the process that made it
	arrived  time.Time
	// status is what was answered, as far as that went; 0 is no answer.
	status int
	// crowded says that another request for the tenant came while this one was
	// still waited for.
	crowded, over bool
	gone          <-chan struct{}
}

// believed is what an application makes of what it is told.
type believed struct {
	sequence int
	features string
	// code and hall are those of the tenant and of its platform.
	code, hall string
	// planted says that somebody changed it by hand.
	planted bool
}

// moody is an application that fails in every way it can. It keeps what it is
// told by the rule for receivers: what is older than the last is ignored,
// unless it is forced.
type moody struct {
	*httptest.Server
	// struck is called with the name of a process that is to be killed in the
	// very moment its request was answered.
	struck func(by string)
	// catch is called once, with the name of the process whose request is the
	// next to come, before that is answered.
	catch atomic.Pointer[func(by string)]

	mu     sync.Mutex
	random *rand.Rand
	mood   string
	visits []*visit
	open   map[billing.TenantID][]*visit
	knows  map[billing.TenantID]believed
	bodies map[billing.EventID][32]byte
	wrong  []string
}

// The moods of an application.
const (
	mixed   = "mixed"
	down    = "down"
	hanging = "hanging"
	well    = "well"
)

func newMoody(t testing.TB, seed uint64) *moody {
	m := &moody{
		random: rand.New(rand.NewPCG(seed, 2)), mood: mixed, struck: func(string) {},
		open: map[billing.TenantID][]*visit{}, knows: map[billing.TenantID]believed{}, bodies: map[billing.EventID][32]byte{},
	}
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(m.receive))
	m.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	m.Start()
	t.Cleanup(func() { m.CloseClientConnections(); m.Close() })
	return m
}

// turns sets the mood from now on; an empty one is any.
func (m *moody) turns(mood string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mood == "" {
		mood = []string{mixed, mixed, mixed, mixed, mixed, well, down, hanging}[m.random.IntN(8)]
	}
	m.mood = mood
}

func (m *moody) fault(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

func (m *moody) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was cut off in the middle: nothing was told
	}
	number := func(name string) int { n, _ := strconv.Atoi(r.Header.Get(name)); return n }
	var told struct {
		Payload struct {
			Tenant struct {
				ID   billing.TenantID
				Code string
			}
			Change struct{ Features json.RawMessage }
		}
	}
	err = json.Unmarshal(body, &told)
	v := &visit{
		event: billing.EventID(number("Webhook-Id")), tenant: told.Payload.Tenant.ID, sequence: number("Webhook-Sequence"),
		attempt: number("Webhook-Attempt"), forced: r.Header.Get("Webhook-Forced") == "true", by: r.Header.Get("User-Agent"),
		arrived: time.Now(), gone: r.Context().Done(),
	}
	m.mu.Lock()
	if err != nil || v.tenant == 0 || v.event == 0 || v.sequence == 0 || v.attempt == 0 {
		m.fault("a request cannot be understood: %v %s %s", err, r.Header, body)
	}
	if sum, known := m.bodies[v.event]; known && sum != sha256.Sum256(body) {
		m.fault("event %d was told in other words than before: %s", v.event, body)
	}
	m.bodies[v.event] = sha256.Sum256(body)
	m.visits = append(m.visits, v)
	m.enter(v)
	b := m.choose(v)
	if b.believe {
		m.believe(v, believed{v.sequence, string(told.Payload.Change.Features), told.Payload.Tenant.Code, strings.Trim(r.URL.Path, "/"), false})
	}
	m.mu.Unlock()
	if caught := m.catch.Swap(nil); caught != nil {
		(*caught)(v.by)
	}
	b.act(m, w, v)
	m.mu.Lock()
	m.leave(v)
	m.mu.Unlock()
}

func (m *moody) believe(v *visit, told believed) {
	if v.forced || v.sequence >= m.knows[v.tenant].sequence {
		m.knows[v.tenant] = told
	}
}

// enter notes that others of the tenant are still there. Whether somebody still
// waits for them is known when they leave.
func (m *moody) enter(v *visit) {
	for _, other := range m.open[v.tenant] {
		other.crowded = true
	}
	m.open[v.tenant] = append(m.open[v.tenant], v)
}

func (m *moody) leave(v *visit) {
	v.over = true
	rest := m.open[v.tenant][:0]
	for _, other := range m.open[v.tenant] {
		if other != v {
			rest = append(rest, other)
		}
	}
	m.open[v.tenant] = rest
}

// answered notes what is about to be answered, and that it was waited for.
func (m *moody) answered(v *visit, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v.status = status
	select {
	case <-v.gone:
	default:
		if v.crowded {
			m.fault("two requests for tenant %d at once: event %d attempt %d of %s was still waited for", v.tenant, v.event, v.attempt, v.by)
		}
	}
}

// behaviour is what the application does with one request.
type behaviour struct {
	// believe says that it acts on what it is told, whatever it answers.
	believe bool
	act     func(*moody, http.ResponseWriter, *visit)
}

// choose draws what to do with a request.
func (m *moody) choose(v *visit) behaviour {
	applied := m.random.IntN(2) == 0
	switch {
	case m.mood == well:
		return behaviour{true, answer(200)}
	case m.mood == down:
		return behaviour{applied, answer(503)}
	case m.mood == hanging:
		return behaviour{applied, never}
	case v.tenant%8 == 0 && v.sequence%4 == 0:
		return behaviour{applied, answer(500)} // it will not have this one
	}
	late := time.Duration(m.random.IntN(400)) * time.Millisecond
	switch n := m.random.IntN(1000); {
	case n < 40:
		return behaviour{applied, answer(500)}
	case n < 60:
		return behaviour{applied, after(late, answer(502))}
	case n < 90:
		return behaviour{applied, cut}
	case n < 120:
		return behaviour{applied, tooMany}
	case n < 130:
		return behaviour{applied, never}
	case n < 140:
		return behaviour{applied, answer(http.StatusFound)}
	case n < 142:
		return behaviour{applied, answer(http.StatusGone)}
	case n < 150:
		return behaviour{true, partly}
	case n < 156:
		return behaviour{true, strike}
	case n < 220:
		return behaviour{true, after(late, answer(204))}
	}
	return behaviour{true, answer(200)}
}

func answer(status int) func(*moody, http.ResponseWriter, *visit) {
	return func(m *moody, w http.ResponseWriter, v *visit) {
		m.answered(v, status)
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
		w.WriteHeader(status)
	}
}

func after(wait time.Duration, then func(*moody, http.ResponseWriter, *visit)) func(*moody, http.ResponseWriter, *visit) {
	return func(m *moody, w http.ResponseWriter, v *visit) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			then(m, w, v)
		case <-v.gone:
		}
	}
}

// tooMany asks to be left alone for a while.
func tooMany(m *moody, w http.ResponseWriter, v *visit) {
	w.Header().Set("Retry-After", "20")
	answer(http.StatusTooManyRequests)(m, w, v)
}

// never answers.
func never(_ *moody, _ http.ResponseWriter, v *visit) { <-v.gone }

// cut closes the connection without an answer.
func cut(_ *moody, w http.ResponseWriter, _ *visit) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// partly accepts, and closes the connection in the middle of the answer.
func partly(m *moody, w http.ResponseWriter, v *visit) {
	m.answered(v, 200)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	conn.Close()
}

// strike accepts, and kills who asked before that can be recorded.
func strike(m *moody, w http.ResponseWriter, v *visit) {
	m.answered(v, 200)
	w.WriteHeader(200)
	_ = http.NewResponseController(w).Flush()
	m.struck(v.by)
}
