//go:build !linux

package storetest

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// owner is the user that a server runs as; only Linux changes users here.
type owner struct{ uid, gid int }

func serverOwner() (*owner, error) { return nil, nil }

// quickDir is like any other here.
func quickDir() string { return os.TempDir() }

// confine has no parent death signal to set: a cluster outlives tests that are killed.
func confine(*exec.Cmd, *owner) {}

func claimDir(string) (*os.File, error) { return nil, nil }

func removeAbandoned(string) {}

// killTree kills the server; its children see that and end by themselves.
func killTree(p *process) error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	return nil
}

// CPU is known on Linux only.
func (s *Server) CPU() (time.Duration, error) { return 0, errors.ErrUnsupported }
