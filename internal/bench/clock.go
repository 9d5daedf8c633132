package main

import (
	"fmt"
	"os"
	"time"
)

func now() time.Time {
	//house:clock a benchmark measures real time
	return time.Now()
}

var began = now()

// say reports on long work, apart from the results.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%5.1fs  %s\n", now().Sub(began).Seconds(), fmt.Sprintf(format, args...))
}
