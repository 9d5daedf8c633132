package app

import (
	"os"
	"runtime/debug"
)

// CollectLate trades memory for speed, unless the environment says how: an idle
// server is small, and whoever is busy collects garbage less often.
func CollectLate() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
	}
}
