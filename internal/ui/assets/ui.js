"use strict";

// Everything here is a comfort: the pages work without it.
(() => {
  // Moments are written in UTC by the server; the viewer's own zone is known here
  // only. They are written as date.go does it. UTC stays in the title. Days of
  // business are no moments and stay as they are.
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  // Each kind of English knows the names of other zones.
  const zones = ["en-US", "en-GB", "en-AU"].map((locale) => new Intl.DateTimeFormat(locale, { timeZoneName: "short" }));
  function zoneOf(at) {
    const names = zones.map((format) => format.formatToParts(at).find((part) => part.type === "timeZoneName").value);
    return names.find((name) => !/\d/.test(name)) ?? names[0];
  }
  function localTime(at) {
    const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
    return `${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}, ${clock} ${zoneOf(at)}`;
  }
  function localTimes(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(time.dateTime);
      if (!Number.isNaN(at.getTime())) time.textContent = localTime(at);
      time.dataset.local = "";
    }
  }

  // A button to copy what is hard to select.
  function copyButtons(root) {
    if (!navigator.clipboard) return;
    for (const box of root.querySelectorAll(".copy:not([data-copy])")) {
      box.dataset.copy = "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button small";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(box.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
      box.append(button);
    }
  }

  // What is too large for the server is not sent: it would be refused there, and
  // a browser that goes back does not bring every field back.
  function tooLarge(form) {
    const most = Number(form.dataset.most);
    if (!most || new URLSearchParams(new FormData(form)).toString().length <= most) return false;
    let box = form.querySelector(".problems");
    if (!box) {
      box = document.createElement("p");
      box.className = "problems";
      box.setAttribute("role", "alert");
      form.prepend(box);
    }
    box.textContent = `That is too much: a form may have up to ${Math.floor(most / 2 ** 20)} MiB. Nothing was sent; shorten what you typed.`;
    box.scrollIntoView({ block: "center" });
    return true;
  }

  // Leaving with changes that are not saved asks first; sending them does not.
  function guardForms(root) {
    for (const form of root.querySelectorAll("form.form, .matrix")) {
      const owner = form.closest("form");
      if (!owner || owner.dataset.guard !== undefined) continue;
      owner.dataset.guard = "";
      owner.addEventListener("input", () => { owner.dataset.guard = "changed"; });
      owner.addEventListener("submit", (event) => {
        if (tooLarge(owner)) event.preventDefault(); else owner.dataset.guard = "";
      });
    }
  }

  // While a request is under way, its button says so and takes no further click,
  // and a line runs along the top of the page: that of htmx is the style sheet's
  // alone. One that was stopped, or a page that comes back from the browser's
  // memory, is at rest again.
  function work() {
    document.body.classList.add("busy");
    document.getElementById("progress").textContent = "Working…";
    setTimeout(rest, 60_000);
  }
  function rest() {
    document.body.classList.remove("busy");
    document.getElementById("progress").textContent = "";
    for (const form of document.querySelectorAll("form[data-busy]")) delete form.dataset.busy;
    for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
  }
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
    if (form.dataset.busy !== undefined) { event.preventDefault(); return; }
    form.dataset.busy = "";
    (event.submitter ?? form.querySelector("button"))?.setAttribute("aria-busy", "true");
  });
  window.addEventListener("beforeunload", (event) => {
    work();
    if (!document.querySelector("form[data-guard=changed]:not([action='/sign-in'])")) return;
    event.preventDefault();
    setTimeout(rest); // if they stay
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) rest(); });

  // A code is made up from other fields until somebody types one.
  function suggestCodes(root) {
    const slug = (text) => text.replace(/ß/g, "ss").normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
      .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 100).replace(/-+$/, "");
    // Of a thing to choose, the last part of its name.
    const said = (field) => field.selectedOptions ? (field.value && field.selectedOptions[0].text.split(": ").pop()) : field.value;
    for (const code of root.querySelectorAll("input[data-suggest]:not([data-suggesting])")) {
      code.dataset.suggesting = "";
      const fields = code.dataset.suggest.split(" ").map((name) => code.form?.elements.namedItem(name)).filter(Boolean);
      if (code.value) continue;
      let own = false;
      code.addEventListener("input", () => { own = code.value !== ""; });
      for (const field of fields) {
        field.addEventListener("input", () => { if (!own) code.value = slug(fields.map(said).join(" ")); });
      }
    }
  }

  // Emptying a field at once, which its form can do by a request, too.
  function resetButtons(root) {
    for (const button of root.querySelectorAll("button[data-empties]:not([data-ready])")) {
      button.dataset.ready = "";
      button.addEventListener("click", (event) => {
        event.preventDefault();
        const field = document.getElementById(button.dataset.empties);
        field.value = "";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.focus();
      });
    }
  }

  // A picture is chosen as a file, and sent as the text that the field takes.
  function pickPictures(root) {
    for (const field of root.querySelectorAll("textarea[data-picture]:not([data-ready])")) {
      field.dataset.ready = "";
      const file = document.createElement("input");
      file.type = "file";
      file.accept = "image/png,image/jpeg";
      file.id = `${field.id}-file`;
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "button small";
      remove.textContent = "Remove";
      const take = (text) => {
        field.value = text;
        remove.hidden = text === "";
        field.parentElement.querySelector("img")?.toggleAttribute("hidden", text !== field.defaultValue.trim());
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
      file.addEventListener("change", () => {
        if (!file.files[0]) return;
        const reader = new FileReader();
        reader.addEventListener("load", () => take(reader.result));
        reader.readAsDataURL(file.files[0]);
      });
      remove.addEventListener("click", () => { file.value = ""; take(""); });
      remove.hidden = field.value === "";
      const box = document.createElement("div");
      box.className = "picked";
      box.append(file, remove);
      field.before(box);
      field.hidden = true;
      field.parentElement.querySelector("label").htmlFor = file.id;
    }
  }

  function enhance(root) {
    pickPictures(root);
    resetButtons(root);
    suggestCodes(root);
    localTimes(root);
    copyButtons(root);
    guardForms(root);
  }
  enhance(document);
  document.addEventListener("htmx:afterSwap", () => enhance(document));

  // A list that renews itself waits while somebody is in it with the keyboard.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig } = event.detail;
    if (requestConfig?.elt === target && target.contains(document.activeElement)) event.detail.shouldSwap = false;
  });

  // The first field that is wrong is where one wants to be.
  document.querySelector(".field.wrong input, .field.wrong select, .field.wrong textarea")?.focus();

  // "/" goes to the search, as in many tools.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") rest(); // which stops what is being loaded
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const search = document.getElementById("q");
    if (search) { event.preventDefault(); search.focus(); }
  });
})();
