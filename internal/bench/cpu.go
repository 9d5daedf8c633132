package main

import (
	"fmt"
	"syscall"
	"time"
)

// cpuUsed is CPU time in seconds: of this process, and of the database's own.
type cpuUsed struct{ process, database float64 }

func (u cpuUsed) total() float64 { return u.process + u.database }

func (u cpuUsed) String() string {
	return fmt.Sprintf("%.3f s here and %.3f s in the database", u.process, u.database)
}

// per1000 returns the CPU time since an earlier look for 1,000 of n things.
func (e *engine) per1000(before cpuUsed, n int) cpuUsed {
	after := e.cpu()
	scale := 1000 / float64(max(n, 1))
	return cpuUsed{(after.process - before.process) * scale, (after.database - before.database) * scale}
}

func (e *engine) cpu() (used cpuUsed) {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	used.process = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	if e.databaseCPU != nil {
		used.database = must(e.databaseCPU()).Seconds()
	}
	return used
}
