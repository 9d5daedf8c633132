package console_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// requireBrowser makes a missing browser a failure: in CI nothing is skipped.
const requireBrowser = "TENANTRY_TEST_REQUIRE_CHROMIUM"

// chromium is the browser's program.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(requireBrowser) == "1" {
		t.Fatal("Chromium is not installed, and " + requireBrowser + " is 1")
	}
	t.Skip("Chromium is not installed: skipped")
	return ""
}

// thrifty saves the browser work that no test sees. Optimized code is lost with
// each page, so that compiling scripts once and quickly takes less; the network
// needs no process of its own, and none is kept for sites that may come. Pages
// are kept for going back, as people's browsers do: forms rely on it.
var thrifty = []chromedp.ExecAllocatorOption{
	chromedp.Flag("js-flags", "--no-opt --no-maglev --always-sparkplug"),
	chromedp.Flag("enable-features", "NetworkServiceInProcess2"),
	chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter,PaintHolding,SpareRendererForSitePerProcess"),
}

// browser is a tab of a real browser.
type browser struct {
	*site
	ctx context.Context
}

// browse opens a tab on the site; it closes when t ends.
func (s *site) browse(t testing.TB) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	options = append(options, thrifty...)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	b := &browser{site: s, ctx: ctx}
	// The first action starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return b
}

// run does one thing in the tab, for a while at most.
func run[T any](b *browser, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// eval runs a script that must succeed.
func eval[T any](b *browser, script string) T {
	b.t.Helper()
	value, err := run(b, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return value
}

// text is what the page says.
func (b *browser) text() string {
	text, _ := run(b, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

// open shows the page of a path. It goes by what the page says of itself, not by
// the browser's events: those of an earlier step of the history may still come.
func (b *browser) open(path string) {
	b.t.Helper()
	eventually(b.t, "to leave for "+path, func() bool {
		if _, err := run(b, chromedp.Evaluate[bool](`window.stale = true`)); err != nil {
			return false
		}
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		answer, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: b.url + path})
		return err == nil && answer.ErrorText == "" // an error means that another step was just taken
	})
	b.waits("the page "+path, `window.stale === undefined && document.readyState === "complete"`)
}

// waits for a condition on the page, whatever page that is by then.
func (b *browser) waits(what, condition string) {
	b.t.Helper()
	eventually(b.t, what, func() bool {
		is, err := run(b, chromedp.Evaluate[bool](condition))
		return err == nil && is // an error means that the page is just changing
	})
}

// says waits until the page shows a text.
func (b *browser) says(text string) {
	b.t.Helper()
	b.waits("the page to say "+text, `document.readyState === "complete" && document.body.innerText.includes(`+quote(text)+`)`)
}

// fills types into a field by its name, in the place of what is there.
func (b *browser) fills(name, value string) {
	b.t.Helper()
	const script = `(() => { const field = document.querySelector("main [name=" + CSS.escape(%n) + "]"); if (!field) return false;
		if (field.type === "checkbox") field.checked = %v !== ""; else field.value = %v;
		field.dispatchEvent(new Event("input", {bubbles: true})); field.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`
	if !eval[bool](b, strings.NewReplacer("%n", quote(name), "%v", quote(value)).Replace(script)) {
		b.t.Fatalf("there is no field %s:\n%s", name, b.text())
	}
}

// presses clicks on the button or link with a text and waits for the page that
// follows.
func (b *browser) presses(text string) {
	b.t.Helper()
	const script = `(() => { const all = [...document.querySelectorAll("main button, main a, .side button, .side a")].filter(e => e.offsetParent !== null);
		const one = all.find(e => e.innerText.trim() === %s); if (!one) return false; window.stale = true; one.click(); return true; })()`
	if !eval[bool](b, strings.Replace(script, "%s", quote(text), 1)) {
		b.t.Fatalf("there is nothing to press that says %q:\n%s", text, b.text())
	}
	// The page that follows has forgotten the mark.
	b.waits("what follows "+text, `window.stale === undefined && document.readyState === "complete"`)
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

func (b *browser) signIn(email string) {
	b.t.Helper()
	b.open("/sign-in")
	b.fills("email", email)
	b.fills("password", password)
	b.presses("Sign in")
	b.says("Home")
}

// size sets the size of the window and whether it is dark.
func (b *browser) size(width int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
	if err == nil {
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// media sets what the viewer's system says that they prefer.
func (b *browser) media(name, value string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// picture saves what the page looks like.
func (b *browser) picture(path string) {
	b.t.Helper()
	png, err := run(b, chromedp.FullScreenshot(100))
	if err == nil {
		png, err = fewColours(png)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
