package main

import (
	"context"
	"errors"
	"os"
	"runtime/pprof"
)

func startProfile(path string) (stop func(), err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}

// tagged marks the CPU time of do, and of every goroutine it starts, so that a
// profile of the one process tells who spent it.
func tagged(ctx context.Context, side string, do func(context.Context)) {
	pprof.Do(ctx, pprof.Labels("side", side), do)
}
