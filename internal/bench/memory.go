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
func measureMemory(r *run) []result {
	if runtime.GOOS != "linux" {
		say("memory is read from /proc: left out")
		return nil
	}
	child := r.startChild("--data-dir", filepath.Join(r.temp, "memory"))
	request := graphQL(r.fetchToken(child.address, usualScope), accountsQuery, nil)
	must(r.dial(child.address).do(request, `{"data":{"accounts":[`))
	r.awaitRest(child.pid)
	return []result{r.result("memory, idle", "MiB", residentMiB(child.pid), memoryLimit).atMost(1)}
}

// child is a running server in a process of its own.
type child struct {
	pid     int
	address string
}

// startChild builds the real program and starts it as an operator does.
func (r *run) startChild(args ...string) *child {
	program := filepath.Join(r.temp, "tenantry")
	build := exec.CommandContext(r.Context(), "go", "build", "-o", program, "github.com/tenantry/tenantry/cmd/tenantry")
	if output, err := build.CombinedOutput(); err != nil {
		check(fmt.Errorf("go build: %w\n%s", err, output))
	}
	stderr := &addressWatcher{found: make(chan string, 1)}
	process := exec.CommandContext(r.Context(), program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	process.Stderr = stderr
	for name, value := range environment {
		process.Env = append(process.Env, name+"="+value)
	}
	check(process.Start())
	ended := make(chan int, 1)
	go func() {
		_ = process.Wait() // how it ended is in what it wrote
		ended <- process.ProcessState.ExitCode()
	}()
	r.Cleanup(func() {
		_ = process.Process.Signal(os.Interrupt)
		<-ended
	})
	return &child{process.Process.Pid, stderr.address(ended)}
}

// awaitRest waits until a process uses no CPU time any more.
func (r *run) awaitRest(pid int) {
	ctx, cancel := context.WithTimeout(r.Context(), idleTimeout)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	before, quiet := "", 0
	for quiet < quietLooks {
		ticks := cpuTicks(pid)
		if quiet++; ticks != before {
			before, quiet = ticks, 0
		}
		select {
		case <-ctx.Done():
			check(fmt.Errorf("the server does not come to rest: %w", ctx.Err()))
		case <-ticker.C:
		}
	}
}

// cpuTicks returns the CPU time a process has used, in the kernel's words.
func cpuTicks(pid int) string {
	text := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))))
	// The name before the last parenthesis may itself hold blanks.
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if len(fields) < 13 {
		check(errors.New("stat is too short"))
	}
	return fields[11] + " " + fields[12]
}

func residentMiB(pid int) float64 {
	for line := range strings.Lines(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))))) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB := must(strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB"))))
			return float64(kB) / 1024
		}
	}
	check(errors.New("status has no VmRSS"))
	return 0
}
