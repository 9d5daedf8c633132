//go:build !linux

package clock

import "time"

func sinceBoot() func() time.Duration { return sinceStart() }
