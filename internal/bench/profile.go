package main

import (
	"context"
	"os"
	"runtime/pprof"
)

func startProfile(s *scope, path string) {
	file := must(os.Create(path))
	check(pprof.StartCPUProfile(file))
	s.Cleanup(func() {
		pprof.StopCPUProfile()
		file.Close()
	})
}

// tagged marks the CPU time of do, and of every goroutine it starts, so that a
// profile of the one process tells who spent it.
func tagged(ctx context.Context, side string, do func(context.Context)) {
	pprof.Do(ctx, pprof.Labels("side", side), do)
}
