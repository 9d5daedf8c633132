package test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// plan is what a token says.
type plan struct {
	// silent says that the first answer is lost, and lost that the request is.
	silent, lost bool
	// slow is how long the answer takes.
	slow time.Duration
	// pending is how long the outcome is pending.
	pending time.Duration
	// reversed is when a success is taken back, 0 for never.
	reversed time.Duration
	end      ending
}

// ending is how a charge ends.
type ending int

const (
	succeeds ending = iota
	isDeclined
	isStolen
	isReturned
)

var endings = map[string]ending{"ok": succeeds, "declined": isDeclined, "stolen": isStolen, "returned": isReturned}

// Tokens describes the tokens, for people.
const Tokens = "ok, declined, stolen, pending:3d:ok, pending:5d:returned, unknown:ok, unknown:lost, slow:30s, chargeback:10d, expires:2027-03:ok"

// CheckToken returns an error if a token says nothing.
func CheckToken(token string) error {
	_, err := parseToken(token)
	return err
}

// expiryForm is the beginning of a token that says when the payment method expires.
var expiryForm = regexp.MustCompile(`^expires:(20[0-9]{2})-(0[1-9]|1[0-2]):(.+)$`)

// Expires is the last month in which the payment method of a token is valid, 0 if it does
// not expire.
func Expires(token string) (year, month int) {
	if match := expiryForm.FindStringSubmatch(token); match != nil {
		year, _ = strconv.Atoi(match[1])
		month, _ = strconv.Atoi(match[2])
	}
	return year, month
}

func parseToken(token string) (plan, error) {
	wrong := fmt.Errorf("there is no test payment method %q: use one such as %s", token, Tokens)
	if match := expiryForm.FindStringSubmatch(token); match != nil {
		token = match[3]
	}
	parts := strings.Split(token, ":")
	switch {
	case token == "unknown:lost":
		return plan{silent: true, lost: true}, nil
	case len(parts) == 1 || len(parts) == 2 && parts[0] == "unknown":
		end, ok := endings[parts[len(parts)-1]]
		if !ok || end == isReturned {
			return plan{}, wrong
		}
		return plan{silent: len(parts) == 2, end: end}, nil
	}
	wait, ok := parseWait(parts[1])
	switch {
	case !ok:
		return plan{}, wrong
	case len(parts) == 2 && parts[0] == "slow":
		return plan{slow: wait}, nil
	case len(parts) == 2 && parts[0] == "chargeback":
		return plan{reversed: wait}, nil
	case len(parts) == 3 && parts[0] == "pending":
		end, ok := endings[parts[2]]
		if !ok {
			return plan{}, wrong
		}
		return plan{pending: wait, end: end}, nil
	}
	return plan{}, wrong
}

var waitForm = regexp.MustCompile(`^([1-9][0-9]{0,3})([smhd])$`)

var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

func parseWait(text string) (time.Duration, bool) {
	match := waitForm.FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	count, err := strconv.Atoi(match[1])
	return time.Duration(count) * units[match[2]], err == nil
}
