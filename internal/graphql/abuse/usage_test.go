package abuse

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// usage is what the process used while something was done.
type usage struct {
	cpu    time.Duration
	memory uint64 // allocated, in bytes, whether it is still in use or not
}

// measure does something and returns what it used.
func measure(t testing.TB, do func()) usage {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cpuTime(t)
	do()
	used := usage{cpu: cpuTime(t) - began}
	runtime.ReadMemStats(&after)
	used.memory = after.TotalAlloc - before.TotalAlloc
	return used
}

// cpuTime is the CPU time of the process so far. Unlike the time on the wall it
// does not grow while others have the CPU.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// atMost does something that may use so many times what a harmless request
// does. The best of three tries counts: others may run in the process.
func atMost(t testing.TB, harmless usage, cpu, memory int, do func()) {
	t.Helper()
	var used usage
	for range 3 {
		used = measure(t, do)
		t.Logf("%.1f times the CPU time, %.1f times the memory", float64(used.cpu)/float64(harmless.cpu), float64(used.memory)/float64(harmless.memory))
		if used.cpu <= harmless.cpu*time.Duration(cpu) && used.memory <= harmless.memory*uint64(memory) {
			return
		}
	}
	t.Errorf("it took %s of CPU time and %d KB; a harmless request takes %s and %d KB, of which %d and %d times are allowed",
		used.cpu, used.memory>>10, harmless.cpu, harmless.memory>>10, cpu, memory)
}

// harmlessUsage is what a request takes that does nothing wrong, on average.
func harmlessUsage(t testing.TB, do func()) usage {
	t.Helper()
	do()
	const runs = 10
	all := measure(t, func() {
		for range runs {
			do()
		}
	})
	return usage{all.cpu / runs, all.memory / runs}
}
