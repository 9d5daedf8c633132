package manual

import (
	"compress/gzip"
	"context"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reader is a tab of a real browser in which the documentation is read.
type reader struct {
	t   *testing.T
	ctx context.Context
	url string
}

// newReader opens a browser; it closes when t ends. In CI it must be there.
func newReader(t *testing.T) *reader {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	const required = "TENANTRY_TEST_REQUIRE_CHROMIUM"
	if program == "" && os.Getenv(required) == "1" {
		t.Fatal("Chromium is not installed, and " + required + " is 1")
	}
	if program == "" {
		t.Skip("Chromium is not installed: skipped")
	}
	server := httptest.NewServer(Handler())
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	r := &reader{t, ctx, server.URL}
	// The first action starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return r
}

// turn does one thing in the tab, for a while at most.
func turn[T any](r *reader, what string, action chromedp.Action[T]) T {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, 2*time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		r.t.Fatalf("%s: %v", what, err)
	}
	return value
}

func (r *reader) open(path string) {
	r.t.Helper()
	turn(r, path, chromedp.Navigate(r.url+path))
}

func evaluate[T any](r *reader, script string) T {
	r.t.Helper()
	return turn(r, script, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

func (r *reader) types(keys string) {
	r.t.Helper()
	turn(r, keys, chromedp.KeyEvent(keys))
}

// slash presses the key that leads to the search. Keys that DevTools presses
// write into a field that has the focus by then; those of a keyboard do not, if
// the page has taken them.
func (r *reader) slash() {
	r.t.Helper()
	if evaluate[bool](r, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))`) {
		r.t.Error("the key is not taken")
	}
	r.waits(`document.activeElement.name === "q"`)
}

// waits until a condition holds on the page, whatever page that is by then.
func (r *reader) waits(condition string) {
	r.t.Helper()
	script := `new Promise((done) => { const look = () => (` + condition + `) ? done(true) : requestAnimationFrame(look); look(); })`
	ctx, cancel := context.WithTimeout(r.ctx, 2*time.Minute)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
		if err == nil {
			return
		}
		if ctx.Err() != nil { // other errors mean that the page is just changing
			r.t.Fatalf("%s: %v", condition, err)
		}
	}
}

func (r *reader) size(width int64, dark bool) {
	r.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(r.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
	if err == nil {
		_, err = chromedp.Call(r.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// axe is the checker of accessibility that the console is held to.
func axe(t *testing.T) string {
	t.Helper()
	file, err := os.Open("../console/testdata/axe-core-4.14.0.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// TestReading does in a browser what readers do: search with the keys, copy
// code, and read in any light on any screen.
func TestReading(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	t.Run("search", func(t *testing.T) { r.t = t; r.searches() })
	t.Run("copy", func(t *testing.T) { r.t = t; r.copies() })
	t.Run("reference", func(t *testing.T) { r.t = t; r.readsReference() })
	t.Run("accessible", func(t *testing.T) { r.t = t; r.isAccessible() })
}

func (r *reader) searches() {
	r.open("/docs")
	r.slash()
	r.types("accountCreate")
	r.waits(`document.querySelectorAll(".popup a").length > 0`)
	if said := evaluate[string](r, `document.querySelector("[role=status]").textContent`); said == "" {
		r.t.Error("nobody who cannot see is told that something was found")
	}
	r.types(kb.Escape)
	r.waits(`document.querySelector(".popup").hidden && document.activeElement.name === "q"`)
	r.types(kb.Backspace) // and so it is asked again
	r.waits(`!document.querySelector(".popup").hidden`)
	r.types(kb.ArrowDown)
	r.waits(`document.activeElement === document.querySelector(".popup a")`)
	r.types(kb.ArrowDown + kb.ArrowUp + kb.ArrowUp)
	r.waits(`document.activeElement.name === "q"`)
	r.types("e")
	r.waits(`document.querySelector(".popup a").href.endsWith("/docs/reference/account#mutation-accountcreate")`)
	r.types(kb.ArrowDown + kb.Enter)
	r.waits(`location.href.endsWith("/docs/reference/account#mutation-accountcreate")`)
	r.waits(`document.readyState === "complete"`)
	r.slash()
	r.types("signing secret" + kb.Enter)
	r.waits(`location.pathname === "/docs/search" && document.querySelectorAll("article .hits li").length > 3`)
}

func (r *reader) copies() {
	r.open("/docs/receiving")
	got := evaluate[bool](r, `(async () => {
		const blocks = document.querySelectorAll(".code"), buttons = document.querySelectorAll(".code .copy");
		if (blocks.length < 4 || blocks.length !== buttons.length) return false;
		let copied; navigator.clipboard.writeText = async (text) => { copied = text; };
		buttons[1].click(); await new Promise(requestAnimationFrame);
		return copied.startsWith("package main\n") && copied === blocks[1].querySelector("pre").textContent && buttons[1].textContent === "Copied";
	})()`)
	if !got {
		r.t.Error("code cannot be copied with its button")
	}
	refused := evaluate[string](r, `(async () => {
		const button = document.querySelectorAll(".code .copy")[2];
		navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
		document.execCommand = () => getSelection().toString().startsWith("import");
		button.click(); await new Promise(requestAnimationFrame);
		return button.textContent;
	})()`)
	if refused != "Copied" {
		r.t.Errorf("without a clipboard the button says %q", refused)
	}
}

// readsReference: no page of the reference is endless, and each says what is on
// it.
func (r *reader) readsReference() {
	r.size(1280, false)
	for _, page := range append(referencePages(), entry{index, ""}) {
		r.open(address(page.Name))
		height := evaluate[int](r, `document.documentElement.scrollHeight`)
		if height > 25_000 {
			r.t.Errorf("%s is %d pixels high", page.Name, height)
		}
		if listed := evaluate[int](r, `document.querySelectorAll(".menu .large li li a").length`); listed != len(referencePages()) {
			r.t.Errorf("the menu of %s lists %d of %d pages", page.Name, listed, len(referencePages()))
		}
		unlisted := evaluate[[]string](r, `[...document.querySelectorAll("article h2")].map((h) => h.id).filter((id) =>
			document.querySelectorAll("article h2").length > 1 && !document.querySelector("aside a[href='#" + id + "']"))`)
		if len(unlisted) > 0 {
			r.t.Errorf("%s has no contents of %v", page.Name, unlisted)
		}
	}
}

func (r *reader) isAccessible() {
	script := axe(r.t)
	for i, path := range []string{"/docs", "/docs/receiving", "/docs/reference", "/docs/reference/subscription", "/docs/search?q=secret", "/docs/nothing"} {
		r.open(path)
		if path == "/docs" {
			r.slash()
			r.types("webhook")
			r.waits(`document.querySelectorAll(".popup a").length > 0`)
		}
		for width, dark := range map[int64]bool{1280: i%2 == 0, 390: i%2 == 1} {
			r.size(width, dark)
			// Buttons that show when somebody points at them have to be seen then.
			evaluate[bool](r, `(() => { document.querySelectorAll(".copy").forEach((b) => (b.style.opacity = 1)); return true; })()`)
			evaluate[any](r, script+"; null")
			found := evaluate[[]string](r, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations
				.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.nodes[0].html.slice(0, 200)))`)
			for _, problem := range found {
				r.t.Errorf("%s (%d wide, dark %v): %s", path, width, dark, problem)
			}
			if wide := evaluate[int](r, `document.documentElement.scrollWidth`); int64(wide) > width {
				r.t.Errorf("%s is %s wide on a screen of %d", path, strconv.Itoa(wide), width)
			}
		}
	}
}
