package admission

import (
	"net"
	"net/http"
	"sync"
)

// Connections bounds how many connections a server has. One that comes when there
// are too many takes the place of one on which nothing is asked; if there is none,
// it is answered with 503 and closed.
type Connections struct {
	most int

	mu      sync.Mutex
	open    int
	idle    map[net.Conn]struct{}
	refused int64
}

// NewConnections returns a bound of so many connections.
func NewConnections(most int) *Connections {
	return &Connections{most: most, idle: map[net.Conn]struct{}{}}
}

// Listen returns a listener whose connections are bounded. State must be the
// ConnState of the server on it.
func (c *Connections) Listen(l net.Listener) net.Listener { return &listener{l, c} }

// State notes which connections are idle.
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateIdle {
		c.idle[conn] = struct{}{}
	} else {
		delete(c.idle, conn)
	}
}

type listener struct {
	net.Listener
	connections *Connections
}

// Accept waits for a connection that there is room for.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			return conn, nil
		}
		if l.connections.admit() {
			return &bounded{TCPConn: tcp, connections: l.connections}, nil
		}
		// Few bytes on a new connection are taken at once by the system.
		_, _ = conn.Write([]byte("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		conn.Close()
	}
}

func (c *Connections) admit() bool {
	c.mu.Lock()
	var idle net.Conn
	full := c.open >= c.most
	if full {
		for idle = range c.idle {
			delete(c.idle, idle)
			break
		}
	}
	if full && idle == nil {
		c.refused++
		c.mu.Unlock()
		return false
	}
	c.open++
	c.mu.Unlock()
	if idle != nil {
		idle.Close()
	}
	return true
}

// bounded is a connection that makes room when it is closed.
type bounded struct {
	*net.TCPConn
	connections *Connections
	once        sync.Once
}

func (b *bounded) Close() error {
	b.once.Do(func() {
		b.connections.mu.Lock()
		defer b.connections.mu.Unlock()
		b.connections.open--
	})
	return b.TCPConn.Close()
}
