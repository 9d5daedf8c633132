"use strict";
// The page is drawn from what /stream tells: everything at first, then only
// the tenants that changed.
const $ = (id) => document.getElementById(id);
const tenants = new Map(); // by platform/code
const cards = new Map();
let platform = "";
let first = true;
let home = ""; // the console
let reports = false;

function make(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

const keyOf = (t) => t.platform + "/" + t.code;
const words = (state) => state.replaceAll("_", " ");
// Dates are not broken at the end of a line.
const whole = (text) => text.replace(/(\d{4})-(\d\d)-(\d\d)/g, "$1\u2011$2\u2011$3");

function when(s) {
  switch (s.state) {
    case "trial": return "trial to " + s.trialEnd;
    case "pending": return "from " + s.start;
    case "active": return "to " + s.end;
    case "suspended": return "unpaid; the payment brings everything back";
  }
  return "";
}

function subscription(s) {
  const li = make("li", "sub");
  li.append(make("span", "badge " + s.state, words(s.state)), make("span", "", s.product + " " + s.plan), make("span", "when", whole(when(s))));
  return li;
}

function feature(t, f) {
  const b = make("button", "feature" + (f.bought ? "" : " not"));
  b.type = "button";
  b.append(document.createTextNode(f.name + " "));
  if (f.bought && f.limit !== null) {
    b.append(make("b", "", f.used + " / " + f.limit));
    const meter = make("span", "meter");
    meter.style.width = Math.min(100, f.limit ? 100 * f.used / f.limit : 100) + "%";
    b.append(meter);
    b.classList.toggle("full", f.used >= f.limit);
    b.title = f.used > f.limit ? "more is in use than was bought" : "use one more";
  } else if (f.bought && f.value) {
    b.append(make("b", "", f.value));
  } else if (!f.bought) {
    b.title = "not bought";
  }
  b.addEventListener("click", () => use(t, f));
  return b;
}

function link(text, path) {
  const a = make("a", "", text);
  a.href = home + path;
  a.target = "_blank";
  return a;
}

// hand tells what became of a tenant since somebody changed it by hand.
function hand(t) {
  const list = make("ol", "hand " + t.hand.stage.replace(" ", "-"));
  list.setAttribute("aria-label", "Since it was changed by hand");
  for (const s of t.hand.steps) {
    const li = make("li");
    li.append(make("span", "when", new Date(s.at).toLocaleTimeString()), s.event && home ? link(s.text, "/tenants/" + t.id + "/events/" + s.event) : make("span", "", s.text));
    list.append(li);
  }
  const next = { changed: "not reported yet", found: t.hand.repairing ? "the repair is under way" : "no repair was sent yet: repair it in the console, under Drift of the platform" }[t.hand.stage];
  if (t.hand.problem || next) {
    const li = make("li", "next");
    li.append(make("span", "when", "…"), make("span", "", t.hand.problem || next));
    list.append(li);
  }
  return list;
}

function tools(t) {
  const row = make("div", "by-hand");
  const b = make("button", "break", "Break it");
  b.type = "button";
  b.disabled = t.hand !== null && t.hand.stage !== "in sync";
  b.title = "Change the tenant in the sample's own memory, as if somebody had edited its database";
  b.addEventListener("click", () => press(t, "break", "Changed by hand. ", "Not now. "));
  row.append(b);
  if (home) row.append(link("In the console", "/tenants/" + t.id));
  return row;
}

function draw(t) {
  const card = make("article", "card");
  card.id = keyOf(t);
  const live = t.subscriptions.some((s) => s.state === "active" || s.state === "trial");
  card.classList.toggle("over", !live);
  const head = make("header");
  head.append(make("h3", "", t.name), make("span", "code", t.platform + " · #" + t.sequence));
  const list = make("ul");
  list.append(...t.subscriptions.map(subscription));
  const features = make("div", "features");
  features.append(...t.features.map((f) => feature(t, f)));
  card.append(head, list, features, make("p", "changes", whole("Last: " + t.changes.join(", "))));
  if (t.hand) card.append(hand(t));
  if (reports) card.append(tools(t));
  return card;
}

const use = (t, f) => press(t, "use/" + encodeURIComponent(f.code), "Allowed. ", "Refused. ");

// press tells the sample of a button of a tenant, and what it answers.
async function press(t, what, yes, no) {
  const path = ["tenants", t.platform, t.code].map(encodeURIComponent).join("/") + "/" + what;
  try {
    const answer = await fetch(path, { method: "POST" });
    say((answer.ok ? yes : no) + (await answer.json()).message, answer.ok);
  } catch {
    say("The sample does not answer.", false);
  }
}

let hide;
function say(text, good) {
  const box = $("answer");
  box.textContent = text;
  box.classList.toggle("bad", !good);
  box.classList.add("here");
  clearTimeout(hide);
  hide = setTimeout(() => box.classList.remove("here"), 4000);
}

function flash(e) {
  e.classList.remove("flash");
  void e.offsetWidth; // so that it begins anew
  e.classList.add("flash");
}

function filter() {
  const text = $("search").value.trim().toLowerCase();
  let seen = 0;
  for (const [key, card] of cards) {
    const t = tenants.get(key);
    const fits = (!platform || t.platform === platform) && (t.name + " " + t.code).toLowerCase().includes(text);
    card.hidden = !fits;
    card.style.display = fits ? "" : "none";
    if (fits) seen++;
  }
  $("count").textContent = seen + (seen === 1 ? " tenant" : " tenants");
  $("none").hidden = seen > 0 || tenants.size === 0;
}

function place(t, card) {
  const key = keyOf(t);
  const old = cards.get(key);
  cards.set(key, card);
  if (old) {
    old.replaceWith(card);
    return;
  }
  const after = [...$("cards").children].find((c) => {
    const other = tenants.get(c.id);
    return other.name.localeCompare(t.name) > 0;
  });
  $("cards").insertBefore(card, after ?? null);
}

function show(state) {
  home = state.console;
  reports = state.reports;
  for (const t of state.tenants) {
    const old = tenants.get(keyOf(t));
    tenants.set(keyOf(t), t);
    const card = draw(t);
    place(t, card);
    if (!first && (!old || old.sequence !== t.sequence)) flash(card);
  }
  first = false;
  // Nothing happens until the next attempt; that is said, or it looks broken.
  $("state").textContent = state.stopped ? "answers webhooks with 503" : state.owed ? "takes webhooks; waits for the next attempt" : "takes webhooks";
  $("state").className = "pill " + (state.stopped ? "off" : "on");
  $("switch").textContent = state.stopped ? "Answer again" : "Stop answering";
  $("switch").dataset.path = state.stopped ? "start" : "stop";
  $("switch").hidden = false;
  if (state.console) {
    $("console").href = state.console;
    $("console").hidden = false;
  }
  const c = state.counts;
  const parts = [c.applied + " applied"];
  if (c.turnedAway) parts.push(c.turnedAway + " answered with 503");
  if (c.late) parts.push(c.late + " too late");
  if (c.refused) parts.push(c.refused + " with a wrong signature");
  $("counts").textContent = parts.join(", ");
  $("log").replaceChildren(...state.log.map(entry));
  filter();
}

function entry(e) {
  const li = make("li");
  const name = make("button", "", e.name);
  name.type = "button";
  name.addEventListener("click", () => {
    $("search").value = "";
    platform = "";
    pressed();
    filter();
    const card = cards.get(e.platform + "/" + e.code);
    if (!card) return;
    card.scrollIntoView({ block: "center" });
    flash(card);
  });
  const at = new Date(e.at).toLocaleTimeString();
  li.append(name, make("div", "", whole(e.changes.join(", "))), make("div", "line", at + " · " + e.platform + (e.sequence ? " · #" + e.sequence : "")));
  return li;
}

function pressed() {
  for (const b of document.querySelectorAll(".tabs button")) b.setAttribute("aria-pressed", String(b.dataset.platform === platform));
}

for (const b of document.querySelectorAll(".tabs button")) {
  b.addEventListener("click", () => {
    platform = b.dataset.platform;
    pressed();
    filter();
  });
}
$("search").addEventListener("input", filter);
$("search").value = new URLSearchParams(location.search).get("q") ?? "";
$("switch").addEventListener("click", () => fetch($("switch").dataset.path, { method: "POST" }));

const stream = new EventSource("stream");
stream.onmessage = (m) => show(JSON.parse(m.data));
stream.onerror = () => {
  $("state").textContent = "the demo is not running";
  $("state").className = "pill off";
  $("switch").hidden = true;
  first = true;
};
