package storetest

import (
	"cmp"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

var errNotInstalled = errors.New("PostgreSQL is not installed")

// process is a started program; err may be read once done is closed.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// spawn starts cmd and waits for its end on a thread of its own: Linux sends
// the parent death signal when the starting thread ends, not the process.
func spawn(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

// programDirs lists where server programs are kept, the preferred place first.
// Debian keeps them out of PATH, so that several versions can be installed.
func programDirs() []string {
	var dirs []string
	for _, program := range []string{"postgres", "initdb"} {
		if path, err := exec.LookPath(program); err == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql*/bin",
		"/opt/homebrew/bin",
		"/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
		"/usr/local/pgsql/bin",
	} {
		found, _ := filepath.Glob(pattern) // fails on a bad pattern only
		dirs = append(dirs, newestFirst(found)...)
	}
	return dirs
}

// newestFirst sorts by the number in the path, so that 15 comes before 9.6.
func newestFirst(dirs []string) []string {
	version := func(dir string) float64 {
		digits := strings.FieldsFunc(dir, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		for _, d := range digits {
			if v, err := strconv.ParseFloat(d, 64); err == nil {
				return v
			}
		}
		return 0
	}
	slices.SortStableFunc(dirs, func(a, b string) int {
		return cmp.Compare(version(b), version(a))
	})
	return dirs
}

// findPrograms returns the first directory that has all server programs, or
// errNotInstalled. PATH may hold initdb of a client package without a server.
func findPrograms(dirs []string) (string, error) {
	for _, dir := range dirs {
		_, initdb := exec.LookPath(filepath.Join(dir, "initdb"))
		_, postgres := exec.LookPath(filepath.Join(dir, "postgres"))
		if initdb == nil && postgres == nil {
			return dir, nil
		}
	}
	return "", errNotInstalled
}
