package mail

import (
	"fmt"
	"slices"
)

// State is what has come of a message.
type State string

// The states of a message.
const (
	// Delivered means that the server has taken the message, for one recipient at
	// least, and that another try would not reach more.
	Delivered State = "DELIVERED"
	// Refused means that no try will ever reach anybody.
	Refused State = "REFUSED"
	// Deferred means that the message should be tried again later: the server said so,
	// could not be reached, or would not talk to us at all, which is a matter of
	// settings and not of the message.
	Deferred State = "DEFERRED"
)

// Outcome is what has come of a message.
type Outcome struct {
	State State
	// Code is the server's last answer, such as 250 or 451; 0 if there was none.
	Code int
	// Message says what happened, for people: in the words of the server, if it
	// answered.
	Message string
	// Uncertain says that the message was sent completely but no answer came. A
	// second try may then deliver it twice, with the same ID.
	Uncertain bool
	// Unreachable says that there was no session with the server, so that no message
	// could be sent at all.
	Unreachable bool
	// Missed are the recipients who did not get the message. If State is Deferred,
	// only those among them who are deferred should be tried again.
	Missed []Missed
}

// Missed is a recipient who did not get a message: it is Refused or Deferred for them.
type Missed struct {
	Address string
	State   State
	Code    int
	Message string
}

// Again returns the recipients that another try is for: all of the message, or those
// whom the server deferred if others have got it.
func (o Outcome) Again(m Message) []string {
	if o.State != Deferred {
		return nil
	}
	if len(o.Missed) == 0 {
		return m.To
	}
	var again []string
	for _, missed := range o.Missed {
		if missed.State == Deferred {
			again = append(again, missed.Address)
		}
	}
	return again
}

// reply is an answer of a server.
type reply struct {
	code int
	text string
}

// notForUs are refusals of the session, not of the message: a sign-in or encryption is
// missing. Once the settings are right, the message can be delivered.
var notForUs = []int{530, 534, 535, 538}

// failure is what becomes of a message after an answer that is not the expected one.
// A success that makes no sense is no refusal.
func (r reply) failure() State {
	if r.code/100 == 5 && !slices.Contains(notForUs, r.code) {
		return Refused
	}
	return Deferred
}

// unexpected is the error of a command that was answered otherwise than with success.
type unexpected struct {
	command string
	reply
}

func (e *unexpected) Error() string {
	return fmt.Sprintf("%s was answered with %d %s", e.command, e.code, e.text)
}
