package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	memoryLimit = 64 // MiB
	// A server is idle when it has used no CPU time for some looks in a row.
	// The runtime gives memory back in the background for a while before.
	lookEvery   = 500 * time.Millisecond
	quietLooks  = 6
	idleTimeout = 90 * time.Second
)

// measureMemory has a server answer once, and looks at what it keeps when nobody
// asks.
func measureMemory(ctx context.Context, b *bench, e *engine) ([]result, error) {
	if runtime.GOOS != "linux" {
		say("memory is read from /proc: left out")
		return nil, nil
	}
	child, err := startChild(ctx, b, "--data-dir", filepath.Join(b.temp, "memory"))
	if err != nil {
		return nil, err
	}
	defer child.stop()
	size, err := idleMemory(ctx, child.pid, child.address)
	if err != nil {
		return nil, err
	}
	return []result{newResult("memory, idle", e.name, "MiB", size, memoryLimit).atMost(1)}, nil
}

// child is a running server in a process of its own.
type child struct {
	pid     int
	address string
	stop    func()
}

// startChild builds the real program and starts it as an operator does.
func startChild(ctx context.Context, b *bench, args ...string) (*child, error) {
	program := filepath.Join(b.temp, "tenantry")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/tenantry/tenantry/cmd/tenantry")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, output)
	}
	stderr := &addressWatcher{found: make(chan string, 1)}
	process := exec.CommandContext(ctx, program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	process.Stderr = stderr
	for name, value := range environment {
		process.Env = append(process.Env, name+"="+value)
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // how it ended is in what it wrote
		close(ended)
	}()
	select {
	case address := <-stderr.found:
		return &child{pid: process.Process.Pid, address: address, stop: func() {
			_ = process.Process.Signal(os.Interrupt)
			<-ended
		}}, nil
	case <-ended:
		return nil, fmt.Errorf("the server did not start: %s", stderr.text())
	}
}

// idleMemory asks a server once and returns its resident memory when it has
// come to rest.
func idleMemory(ctx context.Context, pid int, address string) (float64, error) {
	if err := askOnce(ctx, address); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	before, quiet := "", 0
	for quiet < quietLooks {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return 0, err
		}
		if quiet++; ticks != before {
			before, quiet = ticks, 0
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("the server does not come to rest: %w", ctx.Err())
		case <-ticker.C:
		}
	}
	return residentMiB(pid)
}

func askOnce(ctx context.Context, address string) error {
	token, err := fetchToken(ctx, address)
	if err != nil {
		return err
	}
	c, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer c.close()
	_, err = c.do(graphQL(token, accountsQuery, nil), `{"data":{"accounts":[`)
	return err
}

// cpuTicks returns the CPU time a process has used, in the kernel's words.
func cpuTicks(pid int) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The name before the last parenthesis may itself hold blanks.
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
	if len(fields) < 13 {
		return "", errors.New("stat is too short")
	}
	return fields[11] + " " + fields[12], nil
}

func residentMiB(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return float64(kB) / 1024, err
		}
	}
	return 0, errors.New("status has no VmRSS")
}
