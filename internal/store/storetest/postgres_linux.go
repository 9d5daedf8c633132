package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// owner is the user that a server runs as.
type owner struct{ uid, gid int }

// serverOwner returns nil unless the tests run as root, which PostgreSQL refuses.
func serverOwner() (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(account.Uid)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.Atoi(account.Gid)
		if err != nil {
			return nil, err
		}
		return &owner{uid, gid}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

// quickRoom is what tests that run side by side may need at most in memory.
const quickRoom = 2 << 30

// quickDir is where databases are kept that need not outlive a crash of the
// machine: in memory, if it has room, because a database is some seven hundred
// files. Whoever sets TMPDIR has decided.
func quickDir() string {
	const memory = "/dev/shm"
	var has syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Access(memory, 2) != nil || syscall.Statfs(memory, &has) != nil ||
		has.Bavail*uint64(has.Bsize) < quickRoom {
		return os.TempDir()
	}
	return memory
}

// confine ties cmd to this process: the server shuts down when the tests are
// killed. A process group of its own keeps Ctrl-C from stopping it first.
func confine(cmd *exec.Cmd, as *owner) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Setpgid: true}
	if as != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
}

// claimDir locks a file in dir for as long as this process lives. The file
// gets its name when it is locked, so that nobody can take it in between.
func claimDir(dir string) (*os.File, error) {
	file, err := os.Create(filepath.Join(dir, "claim.new"))
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, os.Rename(file.Name(), filepath.Join(dir, "claim"))
}

// removeAbandoned deletes the clusters of test processes that were killed and
// could not clean up. A cluster that is in use is locked and stays.
func removeAbandoned(parent string) {
	claims, _ := filepath.Glob(filepath.Join(parent, dirPrefix+"*", "claim"))
	for _, claim := range claims {
		file, err := os.Open(claim)
		if err != nil {
			continue // another user's
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			removeCluster(filepath.Dir(claim))
		}
		file.Close()
	}
}

// removeCluster deletes the claim last: a server that is still shutting down
// may write a file meanwhile, and what is left is found again by its claim.
func removeCluster(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Name() != "claim" && os.RemoveAll(filepath.Join(dir, entry.Name())) != nil {
			return
		}
	}
	os.RemoveAll(dir)
}

// killTree kills a server and its children and returns when all are gone. The
// server is stopped before, so that it cannot start another child meanwhile.
func killTree(p *process) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	pid := p.cmd.Process.Pid
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		if errors.Is(err, os.ErrProcessDone) {
			return nil
		}
		return err
	}
	if err := awaitState(ctx, pid, "TZX"); err != nil {
		return err
	}
	pids, err := childrenOf(pid)
	if err != nil {
		return err
	}
	for _, pid := range append([]int{pid}, pids...) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("kill %d: %w", pid, err)
		}
	}
	<-p.done
	for _, pid := range pids {
		if err := awaitState(ctx, pid, "ZX"); err != nil {
			return err
		}
	}
	return nil
}

// awaitState polls until a process is gone or in one of the given states.
func awaitState(ctx context.Context, pid int, states string) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		stat, err := readStat(pid)
		if err != nil || strings.Contains(states, stat[0]) {
			return nil // no stat file: the process is gone
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d is in state %s, want one of %s", pid, stat[0], states)
		case <-poll.C:
		}
	}
}

// childrenOf looks through all processes, because each PostgreSQL child makes
// itself a session of its own and no process group holds them together.
func childrenOf(parent int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var children []int
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		if stat, err := readStat(pid); err == nil && stat[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children, nil
}

// readStat returns the fields of a process behind its name, which may itself hold
// spaces and parentheses: the state letter, the parent and so on.
func readStat(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	if len(fields) < 15 {
		return nil, fmt.Errorf("process %d has a short stat", pid)
	}
	return fields, nil
}

// CPU returns the CPU time that the server has used so far, all its processes
// included, those that have ended too.
func (s *Server) CPU() (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return 0, errors.New("the server is not running")
	}
	parent := s.running.cmd.Process.Pid
	pids, err := childrenOf(parent)
	if err != nil {
		return 0, err
	}
	own, ended, err := cpuTicks(parent)
	for _, pid := range pids {
		// One that ends just now is counted with its parent.
		if ticks, _, err := cpuTicks(pid); err == nil {
			own += ticks
		}
	}
	return time.Duration(own+ended) * (time.Second / ticksPerSecond), err
}

// ticksPerSecond is the unit of the times that Linux shows to programs.
const ticksPerSecond = 100

// cpuTicks returns the CPU time of a process, and that of its children that it
// has seen the end of.
func cpuTicks(pid int) (own, ended int64, err error) {
	fields, err := readStat(pid)
	if err != nil {
		return 0, 0, err
	}
	var times [4]int64 // utime, stime, cutime, cstime
	for i := range times {
		if times[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return 0, 0, err
		}
	}
	return times[0] + times[1], times[2] + times[3], nil
}
