package mail

import (
	"fmt"
	"strings"
	"testing"
)

func TestAddressesOfServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, address   string
		encryption     encryption
		user, password string
	}{
		{"smtp://mail.example.com", "mail.example.com:587", startTLS, "", ""},
		{" SMTP://mail.example.com:25/ ", "mail.example.com:25", startTLS, "", ""},
		{"smtp://ann:p%40ss%3A%2F@mail.example.com:2525", "mail.example.com:2525", startTLS, "ann", "p@ss:/"},
		{"smtp://ann%40example.com:x@mail.example.com", "mail.example.com:587", startTLS, "ann@example.com", "x"},
		{"smtp://ann@example.com:x@mail.example.com", "mail.example.com:587", startTLS, "ann@example.com", "x"},
		{"smtp://mail.example.com?tls=none", "mail.example.com:587", noTLS, "", ""},
		{"smtp://localhost:1025", "localhost:1025", noTLS, "", ""},
		{"smtp://127.0.0.2:1025", "127.0.0.2:1025", noTLS, "", ""},
		{"smtp://[::1]:1025", "[::1]:1025", noTLS, "", ""},
		{"smtp://localhost?tls=starttls", "localhost:587", startTLS, "", ""},
		{"smtp://localhost.example.com", "localhost.example.com:587", startTLS, "", ""},
		{"smtps://mail.example.com", "mail.example.com:465", alwaysTLS, "", ""},
		{"smtps://localhost:4650", "localhost:4650", alwaysTLS, "", ""},
	} {
		s, err := parseServer(c.url)
		if err != nil || s.address() != c.address || s.encryption != c.encryption || s.user != c.user || s.password != c.password {
			t.Errorf("%s: %v, %v, user %q", c.url, s.address(), err, s.user)
		}
	}
}

func TestAddressesOfServersThatAreWrong(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                                      "is empty",
		"mail.example.com":                      "must begin with smtp://",
		"mail.example.com:587":                  "",
		"https://user:hunter2@mail.example.com": "must begin with smtp://",
		"smtp://":                               "has no host",
		"smtp:mail.example.com":                 "has no host",
		"smtp://user:hunter2@":                  "has no host",
		"smtp://user@mail.example.com":          "a user without a password",
		"smtp://:hunter2@mail.example.com":      "a password without a user",
		"smtp://user:hun%zzter2@host":           "cannot be read",
		"smtp://user:hunter/2@host":             "cannot be read",
		"smtp://user:17/hunter2@host":           "goes on after the host",
		"smtp://user:17#hunter2@host":           "goes on after the host",
		"smtp://user:17?hunter2@host":           "has an option that does not exist",
		"smtp://user:17?hunter2%zz@host":        "options that cannot be read",
		"smtp://user:hunter2%00@host":           "control character",
		"smtp://user:hunter2@host:99999":        "not a number from 1 to 65535",
		"smtp://user:hunter2@host:0":            "not a number from 1 to 65535",
		"smtp://user:hunter2@host:hunter2":      "cannot be read",
		"smtp://user:hunter2@ho st":             "cannot be read",
		"smtp://host?tls=hunter2":               "it is none (not encrypted) or starttls",
		"smtp://host?tls=none&tls=none":         "the same one twice",
		"smtps://host?tls=none":                 "always encrypted",
	} {
		sender, err := NewSender(Config{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v, %v", url, sender, err)
		}
	}
	for _, hello := range []string{"a\r\nMAIL FROM:<x>", "ä", strings.Repeat("x", 300)} {
		if _, err := NewSender(Config{URL: "smtp://host", Hello: hello}); err == nil {
			t.Errorf("%q is accepted", hello)
		}
	}
}

func TestSendersDoNotShowThePassword(t *testing.T) {
	t.Parallel()
	sender, err := NewSender(Config{URL: "smtp://user:hunter2@mail.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(form, sender); strings.Contains(text, "hunter2") || !strings.Contains(text, "smtp://mail.example.com:587") {
			t.Errorf("%s: %s", form, text)
		}
	}
}

func FuzzServer(f *testing.F) {
	f.Add("smtp://user:password@host:587", "hunter2")
	f.Add("smtps://h?tls=none#", "@/?#%")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "hunter2"
		for _, text := range []string{before + after, "smtp://user:" + before + secret + after} {
			if s, err := parseServer(text); err == nil {
				if s.host == "" || s.port == "" || (s.user == "") != (s.password == "") {
					t.Errorf("%q: %#v", text, s)
				}
			} else if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
