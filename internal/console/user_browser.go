package console

import (
	"regexp"
	"strings"
)

// browserNames are the browsers that people know, by how they name themselves.
// Each also names those further down.
var browserNames = []struct{ token, name string }{
	{"Edg", "Edge"}, {"OPR", "Opera"}, {"Firefox", "Firefox"}, {"HeadlessChrome", "Chrome"}, {"Chrome", "Chrome"}, {"CriOS", "Chrome"}, {"FxiOS", "Firefox"},
	{"Version", "Safari"},
}

// systemNames are the systems that they run on.
var systemNames = []struct{ token, name string }{
	{"Windows", "Windows"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
}

var browserVersion = regexp.MustCompile(`([A-Za-z]+)/(\d+)`)

// browserWords names the browser and system of a session as people do: "Chrome
// 156 on Linux". A program that is neither is shown as it names itself.
func browserWords(agent string) string {
	versions := map[string]string{}
	for _, part := range browserVersion.FindAllStringSubmatch(agent, -1) {
		versions[part[1]] = part[2]
	}
	for _, b := range browserNames {
		version, is := versions[b.token]
		if !is || !strings.HasPrefix(agent, "Mozilla/") {
			continue
		}
		for _, s := range systemNames {
			if strings.Contains(agent, s.token) {
				return b.name + " " + version + " on " + s.name
			}
		}
		return b.name + " " + version
	}
	return agent
}
