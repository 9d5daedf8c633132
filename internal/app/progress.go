package app

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows how far something has come: as a bar on a terminal, and as a
// line now and then anywhere else.
type progress struct {
	out      io.Writer
	now      func() time.Time
	terminal bool
	step     string
	shown    time.Time
	began    time.Time
	open     bool // there is a bar that is not ended
}

func newProgress(out io.Writer, now func() time.Time) *progress {
	return &progress{out: out, now: now, terminal: isTerminal(out)}
}

// tell shows that a step has come so far. A total of 0 is not known.
func (p *progress) tell(step string, done, total int) {
	now := p.now()
	wait := 5 * time.Second
	if p.terminal {
		wait = 100 * time.Millisecond
	}
	if step != p.step {
		p.end()
		p.step, p.began, p.shown = step, now, now
		if !p.terminal {
			return
		}
	} else if now.Sub(p.shown) < wait && done != total {
		return
	}
	if !p.terminal && now.Sub(p.began) < wait {
		return // over before anybody could ask
	}
	p.shown = now
	if p.terminal {
		p.open = true
		fmt.Fprintf(p.out, "\r\x1b[K%s", p.bar(done, total, now))
		return
	}
	fmt.Fprintln(p.out, p.words(done, total, now))
}

func (p *progress) words(done, total int, now time.Time) string {
	text := fmt.Sprintf("%s: %d", p.step, done)
	if total > 0 {
		text += fmt.Sprintf(" of %d", total)
	}
	if took := now.Sub(p.began).Seconds(); took > 0 {
		text += fmt.Sprintf(", %.0f a second", float64(done)/took)
	}
	return text
}

const barWidth = 30

func (p *progress) bar(done, total int, now time.Time) string {
	if total == 0 {
		return p.words(done, total, now)
	}
	full := barWidth * done / total
	return fmt.Sprintf("[%s%s] %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), p.words(done, total, now))
}

// end leaves the last state of a bar on its line.
func (p *progress) end() {
	if p.open {
		fmt.Fprintln(p.out)
	}
	p.open = false
}
