//go:build unix

package worker_test

import "syscall"

// freeze stops a process where it is, and thaw lets it go on as if no time had
// passed.
func (p *process) freeze() { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }

func (p *process) thaw() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }
