package app_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
)

// answered collects the codes of accounts that the server said it made.
type answered struct {
	mu    sync.Mutex
	codes []string
}

func (a *answered) add(code string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.codes = append(a.codes, code)
}

func (a *answered) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.codes)
}

func TestAnsweredWritesSurviveAKill(t *testing.T) {
	t.Parallel()
	needSignals(t)
	onEachEngine(t, func(t *testing.T, e env) {
		const rounds, clients, enough = 2, 4, 40
		var made answered
		for round := range rounds {
			s := child(t, known.with(e))
			token := s.firstToken(t)
			already := made.count()
			var writers sync.WaitGroup
			for c := range clients {
				writers.Go(func() {
					for i := 0; ; i++ {
						code := fmt.Sprintf("r%d-c%d-%d", round, c, i)
						if accountCreate(s.url, token, code) != nil {
							return // the server is gone
						}
						made.add(code)
					}
				})
			}
			eventually(t, patience, "some accounts are made", func() bool { return made.count() >= already+enough || s.ended() })
			s.signal(t, syscall.SIGKILL)
			s.await(t, patience)
			writers.Wait()
			if made.count() < already+enough {
				t.Fatalf("only %d accounts were made:\n%s", made.count()-already, s.stderr)
			}
		}
		s := child(t, e)
		codes := accountCodes(t, s.url, s.firstToken(t))
		for _, code := range made.codes {
			if !codes[code] {
				t.Errorf("%s was answered and is lost", code)
			}
		}
		mustCreateAccount(t, s.url, s.firstToken(t), "after")
	})
}
