package mail

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// deliver hands a message over in an open session.
func (c *conn) deliver(m Message, encoded []byte) Outcome {
	if o, ok := c.sendFrom(m, len(encoded)); !ok {
		return o
	}
	accepted, missed, err := c.sendTo(m.To)
	if err != nil {
		return c.broken(err)
	}
	if accepted == 0 {
		return noneAccepted(missed)
	}
	if _, err := c.command("DATA", 354, "DATA"); err != nil {
		return c.refused(err)
	}
	last, sent, err := c.sendData(encoded)
	if err != nil {
		o := c.refused(err)
		o.Uncertain = sent && o.Code == 0
		return o
	}
	o := Outcome{State: Delivered, Code: last.code, Message: short(last.text), Missed: missed}
	if slices.ContainsFunc(missed, func(m Missed) bool { return m.State == Deferred }) {
		o.State = Deferred
	}
	return o
}

// sendFrom begins the message.
func (c *conn) sendFrom(m Message, size int) (Outcome, bool) {
	line := "MAIL FROM:<" + m.From + ">"
	if c.has("SIZE") {
		line += " SIZE=" + strconv.Itoa(size)
	}
	foreign := slices.IndexFunc(append([]string{m.From, m.ReplyTo}, m.To...), func(a string) bool { return !isASCII(a) })
	if foreign >= 0 {
		if !c.has("SMTPUTF8") {
			return Outcome{State: Refused, Message: "The mail server accepts only addresses of ASCII characters (it has no SMTPUTF8)."}, false
		}
		line += " SMTPUTF8"
	}
	if _, err := c.command("the sender "+m.From, 250, line); err != nil {
		return c.refused(err), false
	}
	return Outcome{}, true
}

// sendTo names the recipients. An error means that the session is broken.
func (c *conn) sendTo(recipients []string) (accepted int, missed []Missed, err error) {
	for _, to := range recipients {
		_, err := c.command("the recipient "+to, 25, "RCPT TO:<"+to+">")
		answer, answered := errors.AsType[*unexpected](err)
		switch {
		case err == nil:
			accepted++
		case !answered || answer.code == shuttingDown:
			return 0, nil, err
		default:
			missed = append(missed, Missed{to, answer.failure(), answer.code, answer.text})
		}
	}
	return accepted, missed, nil
}

// noneAccepted is the outcome if every recipient was turned away. It is final only if
// all of them are.
func noneAccepted(missed []Missed) Outcome {
	decisive := missed[0]
	for _, m := range missed {
		if m.State == Deferred {
			decisive = m
			break
		}
	}
	return Outcome{State: decisive.State, Code: decisive.Code, Message: fmt.Sprintf("the recipient %s was answered with %d %s", decisive.Address, decisive.Code, decisive.Message), Missed: missed}
}

// sendData sends the message itself. Sent says whether all of it is on its way.
func (c *conn) sendData(encoded []byte) (last reply, sent bool, err error) {
	w := c.text.DotWriter()
	if _, err := w.Write(encoded); err != nil {
		return reply{}, false, fmt.Errorf("the message could not be sent: %w", err)
	}
	if err := w.Close(); err != nil {
		return reply{}, false, fmt.Errorf("the message could not be sent: %w", err)
	}
	last, err = c.read("the message", 250)
	return last, true, err
}

// shuttingDown is the answer to anything of a server that ends the session.
const shuttingDown = 421

// refused is the outcome of a command that failed.
func (c *conn) refused(err error) Outcome {
	answer, answered := errors.AsType[*unexpected](err)
	if !answered {
		return c.broken(err)
	}
	return Outcome{State: answer.failure(), Code: answer.code, Message: err.Error()}
}

// broken is the outcome of a session that cannot go on.
func (c *conn) broken(err error) Outcome { return deferred(plainly(c.ctx, err)) }
