package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	dirPrefix = "tenantry-test-"
	pollEvery = 10 * time.Millisecond

	// A start after Kill replays the log first, a fast stop writes a checkpoint.
	startTimeout = time.Minute
	stopTimeout  = time.Minute

	// maxSocketPath is the shortest limit of the supported systems (macOS).
	maxSocketPath = 103
	socketName    = ".s.PGSQL.5432"
)

// Server is a temporary PostgreSQL cluster. It listens on a Unix socket in its
// own directory, so that no port can be taken by somebody else and its URL
// stays the same over Stop, Kill and Start.
type Server struct {
	bin      string // directory of the server programs
	dir      string // holds the data, the socket and the log
	settings []string
	durable  bool
	owner    *owner // the user the server runs as; nil for the current one
	claim    *os.File

	mu      sync.Mutex
	running *process
}

// Option changes how PostgresServer sets up its cluster.
type Option func(*Server)

// Durable keeps fsync, synchronous commits and full page writes on and the data
// on a disk, for tests that prove what survives a crash.
func Durable() Option {
	return func(s *Server) { s.settings, s.durable = nil, true }
}

// ListenOn has the server listen on port 5432 of a TCP address too, for tests of
// what a Unix socket does not do. Each of 127.0.0.0/8 is one of its own on Linux.
func ListenOn(address string) Option {
	return func(s *Server) { s.settings = append(s.settings, "listen_addresses="+address) }
}

func newServer(options ...Option) (*Server, error) {
	bin, err := findPrograms(programDirs())
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, settings: []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=128MB", "min_wal_size=32MB"}}
	for _, option := range options {
		option(s)
	}
	if s.owner, err = serverOwner(); err != nil {
		return nil, err
	}
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	if err := s.initialize(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// URL returns the address of a database of this server. A new server has the
// database "postgres".
func (s *Server) URL(dbname string) string {
	query := url.Values{"host": {s.dir}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + dbname, RawQuery: query.Encode()}
	return u.String()
}

// Start starts the server on the data it has and returns when it answers. It
// does nothing if the server is running.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && !s.running.ended() {
		return nil
	}
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", s.dataDir(), "-k", s.dir, "-p", "5432", "-c", "listen_addresses=",
		"-c", "max_connections=200", "-c", "timezone=UTC", "-c", "log_timezone=UTC"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := s.command("postgres", args...)
	cmd.Stdout, cmd.Stderr = log, log
	running, err := spawn(cmd)
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := awaitReady(running, s.URL("postgres")); err != nil {
		err = fmt.Errorf("PostgreSQL did not start: %w\n%s", err, s.logTail())
		return errors.Join(err, killTree(running))
	}
	s.running = running
	return nil
}

// Stop shuts the server down in order, without waiting for its clients. It
// does nothing if the server is not running.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil
	}
	running := s.running
	s.running = nil
	if err := running.cmd.Process.Signal(os.Interrupt); err != nil {
		return killTree(running) // it is gone already, or this is Windows, which has no such signal
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	select {
	case <-running.done:
		return nil
	case <-ctx.Done():
		err := fmt.Errorf("PostgreSQL did not stop within %s\n%s", stopTimeout, s.logTail())
		return errors.Join(err, killTree(running))
	}
}

// Kill ends the server and its children at once, as a crash does: nothing is
// flushed and clients see a broken connection.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil
	}
	running := s.running
	s.running = nil
	return killTree(running)
}

// makeDir makes the directory of the cluster where the server's user can reach it.
func (s *Server) makeDir() error {
	parent := quickDir()
	if s.durable {
		parent = os.TempDir()
	}
	longest := filepath.Join(parent, dirPrefix+"0123456789", socketName)
	if len(longest) > maxSocketPath || s.owner != nil && !traversable(parent) {
		parent = "/tmp"
	}
	removeAbandoned(parent)
	dir, err := os.MkdirTemp(parent, dirPrefix)
	if err != nil {
		return err
	}
	s.dir = dir
	if s.claim, err = claimDir(dir); err != nil {
		return errors.Join(err, s.remove())
	}
	if s.owner != nil {
		if err := os.Chown(dir, s.owner.uid, s.owner.gid); err != nil {
			return errors.Join(err, s.remove())
		}
	}
	return nil
}

// traversable reports whether every user can pass through dir and its parents.
func traversable(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

// initialize makes an empty cluster. C.UTF-8 sorts the same everywhere and
// still knows letters beyond ASCII; systems without it get plain C.
func (s *Server) initialize() error {
	var failures []error
	for _, locale := range []string{"C.UTF-8", "C"} {
		var output bytes.Buffer
		cmd := s.command("initdb", "-D", s.dataDir(), "-U", "postgres", "-A", "trust",
			"-E", "UTF8", "--locale="+locale, "--no-sync", "--no-instructions")
		cmd.Stdout, cmd.Stderr = &output, &output
		running, err := spawn(cmd)
		if err != nil {
			return fmt.Errorf("start initdb: %w", err)
		}
		<-running.done
		if running.err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("initdb with locale %s: %w\n%s", locale, running.err, tail(output.String())))
	}
	return errors.Join(failures...)
}

// remove stops the server and deletes all it has.
func (s *Server) remove() error {
	err := s.Stop()
	err = errors.Join(err, os.RemoveAll(s.dir))
	if s.claim != nil {
		err = errors.Join(err, s.claim.Close())
	}
	return err
}

// command prepares a server program that runs as the right user, in a place
// that user can read, with messages in English.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	confine(cmd, s.owner)
	return cmd
}

// awaitReady polls until the server answers a query, ends or takes too long.
func awaitReady(running *process, address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		err := execute(address, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-running.done:
			return fmt.Errorf("it ended: %v", running.err)
		case <-ctx.Done():
			return fmt.Errorf("not ready within %s: %w", startTimeout, err)
		case <-poll.C:
		}
	}
}

func (s *Server) dataDir() string { return filepath.Join(s.dir, "data") }
func (s *Server) logPath() string { return filepath.Join(s.dir, "log") }

func (s *Server) logTail() string {
	log, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	return "the end of its log:\n" + tail(string(log))
}

// tail returns the last lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
