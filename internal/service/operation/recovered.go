package operation

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Recovered turns a panic over broken data into an error that says where it
// was.
func Recovered(err *error) {
	value := recover()
	if value == nil {
		return
	}
	*err = fmt.Errorf("its data are broken: %v%s", value, panicPlace())
}

// panicPlace is the line of ours that panicked.
func panicPlace() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	panicked := false
	for {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", filepath.Base(frame.File), frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
