package main

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// cpuWatch measures the CPU time of something.
type cpuWatch struct {
	engine *engine
	before cpuUsed
	err    error
}

// cpuUsed is CPU time in seconds: of this process, and of the database's own.
type cpuUsed struct{ process, database float64 }

func (u cpuUsed) total() float64 { return u.process + u.database }

func (u cpuUsed) String() string {
	return fmt.Sprintf("%.3f s here and %.3f s in the database", u.process, u.database)
}

// watchCPU begins to measure.
func (e *engine) watchCPU() *cpuWatch {
	w := &cpuWatch{engine: e}
	w.before, w.err = e.cpu()
	return w
}

// per1000 returns the CPU time since then for 1,000 of n things.
func (w *cpuWatch) per1000(n int) (cpuUsed, error) {
	after, err := w.engine.cpu()
	scale := 1000 / float64(max(n, 1))
	return cpuUsed{(after.process - w.before.process) * scale, (after.database - w.before.database) * scale}, errors.Join(w.err, err)
}

func (e *engine) cpu() (used cpuUsed, err error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return used, err
	}
	used.process = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	if e.databaseCPU != nil {
		took, err := e.databaseCPU()
		used.database = took.Seconds()
		return used, err
	}
	return used, nil
}
