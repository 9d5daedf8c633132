package app_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a real browser.
type tab struct {
	t   testing.TB
	ctx context.Context
}

// newTab opens a browser; it closes when t ends. In CI it must be there.
func newTab(t testing.TB) *tab {
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	b := &tab{t, ctx}
	b.open("about:blank")
	return b
}

func (b *tab) open(url string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		b.t.Fatalf("%s: %v", url, err)
	}
}

// press clicks on the first thing that fits.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.waits(selector, `!!document.querySelector(`+strconv.Quote(selector)+`)`)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.querySelector(`+strconv.Quote(selector)+`).click() ?? true`)); err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
}

// waits for a condition on the page.
func (b *tab) waits(what, condition string) {
	b.t.Helper()
	eventually(b.t, patience, what, func() bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](condition))
		return err == nil && is
	})
}

// says waits until the page shows a text.
func (b *tab) says(text string) {
	b.t.Helper()
	b.waits("the page to say "+text, `document.body.innerText.includes(`+strconv.Quote(text)+`)`)
}

// looks sets the size of the window and whether it is dark.
func (b *tab) looks(width, height int64, scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
	if err == nil {
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// picture saves what can be seen, if TENANTRY_PICTURES names a folder for it.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("TENANTRY_PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// pictureOfAll is a picture that is only looked at, and not part of the documentation.
func (b *tab) pictureOfAll(name string) {
	b.t.Helper()
	if os.Getenv("TENANTRY_PICTURES_ALL") != "" {
		b.picture(name)
	}
}

// TestTheSamplePageIsLive also makes the picture of docs/demo.md.
func TestTheSamplePageIsLive(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl", "sed")
	b := newTab(t)
	d := startDemo(t)
	b.looks(1180, 900, "light")
	b.open(d.sample)
	b.waits("all tenants", `document.querySelectorAll(".card").length === 45`)
	eventually(t, patience, "all history at the sample", func() bool { return d.limit(t) == 25 })
	paste(t, d.commands[0]+" >/dev/null", d.commands[1])
	b.says("Users 25 → 40")
	b.open(d.sample)
	b.says("Users 25 → 40") // from the beginning, when nothing lights up
	b.picture("sample-light")

	b.open(d.sample + "/?q=nordlicht")
	b.says("1 tenant")
	b.press(`[id="harbour/nordlicht"] .feature.not`)
	b.says("Refused. Nordlicht Logistik GmbH has not bought Audit log.")
	b.press(`[id="harbour/nordlicht"] .feature:not(.not)`)
	b.says("Allowed. Users: ")
	b.press("#switch")
	b.says("answers webhooks with 503")
	b.looks(390, 800, "dark")
	b.waits("a page that fits a phone", `document.documentElement.scrollWidth <= window.innerWidth`)
	b.pictureOfAll("sample-phone-dark")
	b.press("#switch")
	b.says("takes webhooks")
	d.stop(t)
	b.says("the demo is not running")
}

// TestTheSamplePageShowsARepair changes a tenant by hand on the page and watches it come
// back, and looks at it in the console.
func TestTheSamplePageShowsARepair(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	d := startDemo(t)
	eventually(t, patience, "all history at the sample", func() bool { return d.limit(t) == 25 })
	b.looks(1180, 900, "light")
	b.open(d.sample + "/?q=vela")
	const card = `[id="harbour/vela"] `
	b.waits("the history to be complete", `tenants.size === 45 && Date.now() - Math.max(...[...tenants.values()].map((t) => t.changedAt)) > 2000`)
	b.press(card + ".break")
	b.says("changed by hand: ")
	b.says("not reported yet")
	b.waits("no second change", `document.querySelector('`+card+`.break').disabled`)
	b.pictureOfAll("sample-broken")
	b.says("found: lacks ")
	b.says("repaired by webhook #")
	b.says("reported again: in sync")
	b.waits("another change", `!document.querySelector('`+card+`.break').disabled`)
	b.pictureOfAll("sample-repaired")
	b.looks(390, 800, "dark")
	b.waits("a page that fits a phone", `document.documentElement.scrollWidth <= window.innerWidth`)
	b.pictureOfAll("sample-repaired-phone")
	b.looks(1180, 900, "light")
	event, tenant := b.href(card+".hand a"), b.href(card+".by-hand a")
	b.signIn(d, tenant)
	b.says("In the application")
	b.says("in sync")
	b.says("Drift repair")
	b.pictureOfAll("console-repaired")
	b.open(event)
	b.says("Drift repair")
}

// href is where a link leads to.
func (b *tab) href(selector string) string {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.querySelector(`+strconv.Quote(selector)+`).href`))
	if err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
	return found
}

var demoUser = regexp.MustCompile(`sign in as (\S+) with the password (\S+)`)

// signIn opens a page of the console, which asks who is there first.
func (b *tab) signIn(d *demo, page string) {
	b.t.Helper()
	user := demoUser.FindStringSubmatch(d.stdout.String())
	b.open(page)
	b.waits("the form", `!!document.querySelector('input[name=password]')`)
	fill := `document.querySelector('input[name=email]').value = ` + strconv.Quote(user[1]) +
		`, document.querySelector('input[name=password]').value = ` + strconv.Quote(user[2]) + `, document.querySelector('input[name=password]').form.requestSubmit(), true`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fill)); err != nil {
		b.t.Fatal(err)
	}
}

// another opens a second tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	second := &tab{b.t, ctx}
	second.open("about:blank")
	return second
}

// text evaluates an expression that is a text.
func (b *tab) text(expression string) string {
	b.t.Helper()
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return found
}

// TestPayingInTheConsoleBringsTheSampleBack pays in the console what it says that a suspended
// customer has to pay, while another tab shows the sample: everything is back there, without
// loading the page again.
func TestPayingInTheConsoleBringsTheSampleBack(t *testing.T) {
	t.Parallel()
	sample := newTab(t)
	d := startDemo(t)
	eventually(t, patience, "all history at the sample", func() bool { return d.limit(t) == 25 })
	sample.open(d.sample + "/?q=galloway")
	const card = `[id="harbour/galloway"] `
	sample.says("unpaid; the payment brings everything back")
	sample.waits("no feature", `!document.querySelector('`+card+`.feature:not(.not)')`)

	console := sample.another()
	console.signIn(d, d.url+"/subscriptions?standing=suspended")
	console.says("Galloway Whisky Co.")
	console.open(console.href(`main td a[href^="/subscriptions/"]`))
	console.says("None: the subscription is suspended until TEST-")
	owed := console.text(`document.body.innerText.match(/paid, EUR ([0-9.,]+[0-9])/)[1].replaceAll(",", "")`)
	console.open(console.href(`main a[href^="/accounts/"]`) + "/pay")
	console.waits("the form", `!!document.querySelector('[name=amount]')`)
	console.text(`(document.querySelector('[name=amount]').value = ` + strconv.Quote(owed) + `, document.querySelector('[name=currencyId]').value = "EUR",
		document.querySelector('[name=amount]').form.requestSubmit(), "sent")`)
	console.press(`form:has(input[name=step][value=confirm]) button.primary`)
	console.says("Recorded a payment of Galloway Whisky Co.")
	console.waits("one full stop", `!document.body.innerText.includes("Co..")`)

	sample.waits("the tenant to come back", `!!document.querySelector('`+card+`.badge.active') && !!document.querySelector('`+card+`.feature:not(.not)')`)
	sample.waits("nothing that is unpaid", `!document.querySelector('`+card+`').innerText.includes("unpaid")`)
}
