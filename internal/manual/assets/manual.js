// What the pages can do without it they do: a search then shows a page.
"use strict";

// Copy buttons.
for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const done = await copy(block.querySelector("pre"));
    button.textContent = done ? "Copied" : "Select it and copy it with the keys";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  block.append(button);
}

async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent);
    return true;
  } catch {
    // Not allowed, or the page came without TLS: the older way, by a selection.
    getSelection().selectAllChildren(pre);
    return document.execCommand("copy");
  }
}

// Search while somebody types.
const form = document.querySelector("form.search");
const field = form.elements.q;
const popup = form.querySelector(".popup");
const status = form.querySelector("[role=status]");
let asked = 0;

async function search() {
  const query = field.value.trim();
  const turn = ++asked;
  if (query.length < 2) {
    popup.hidden = true;
    return;
  }
  const answer = await fetch(`${form.action}?part=1&q=${encodeURIComponent(query)}`);
  const text = await answer.text();
  if (turn !== asked || !answer.ok) {
    return; // somebody typed on
  }
  popup.innerHTML = text; // ours, with everything escaped
  popup.hidden = false;
  const links = popup.querySelectorAll("a").length;
  status.textContent = links === 0 ? "Nothing found" : `${links} found`;
}

let timer;
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 120);
});

function close() {
  asked++;
  popup.hidden = true;
  status.textContent = "";
}

form.addEventListener("keydown", (event) => {
  const links = [...popup.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape" && !popup.hidden) {
    close();
    field.focus();
  } else if (event.key === "ArrowDown" && !popup.hidden && at < links.length - 1) {
    links[at + 1].focus();
  } else if (event.key === "ArrowUp" && at >= 0) {
    (links[at - 1] ?? field).focus();
  } else {
    return;
  }
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  }
});
document.addEventListener("click", (event) => {
  if (!form.contains(event.target)) {
    close();
  }
});
popup.addEventListener("click", (event) => {
  if (event.target.closest("a")) {
    close(); // it may lead to the same page
  }
});
