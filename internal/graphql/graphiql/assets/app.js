"use strict";

(() => {
  // GraphiQL's dialogs insert a <style> element of their own. They mark it with
  // this nonce, which is why the page's policy needs no 'unsafe-inline'.
  window.__webpack_nonce__ = document.currentScript.nonce;

  const STORE = "tenantry.accessToken";
  const RENEWS = "tenantry.accessTokenRenews"; // set if the console gave the token
  const WHO_AM_I = "{ currentClient { name scopes } }";
  const DEFAULT_QUERY = `# Ctrl-Enter runs this query,
# Ctrl-Space completes names.

query {
  accounts(limit: 10) {
    id
    name
  }
}
`;

  // What the editors are called: GraphiQL names the boxes around them only.
  const EDITORS = [[".graphiql-query-editor", "Query"], [".graphiql-editor-tools, .graphiql-editor-tool", "Variables as JSON"], [".result-window", "Answer"]];

  const byId = (id) => document.getElementById(id);
  const other = byId("other");
  const input = byId("token");
  const forgetButton = byId("forget");
  const status = byId("status");

  let root = null; // GraphiQL's React root, while it is on the page
  let attempt = 0; // the newest check of a token; answers to older ones are dropped

  // show tells people how things stand: empty, checking, ready or refused. The
  // style sheet decides by the page's state whether the help is visible; a check
  // leaves that as it is, since the page would jump twice within a moment.
  function show(state, text) {
    if (state !== "checking") document.body.dataset.state = state;
    status.dataset.tone = state;
    status.textContent = text;
    const kept = sessionStorage.getItem(STORE) !== null;
    forgetButton.disabled = !kept;
    other.open = state === "empty" || state === "refused";
    input.placeholder = kept ? "Paste another token to replace this one" : "Paste an access token";
  }

  // ask sends one GraphQL request. An answer that is not JSON has a null body.
  async function ask(token, params) {
    const response = await fetch("/graphql", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Accept: "application/json",
      },
      body: JSON.stringify(params),
      credentials: "omit",
      cache: "no-store",
    });
    const body = await response.json().catch(() => null);
    return { status: response.status, body };
  }

  // fromConsole asks for a token with the rights of whoever is signed in to the
  // console in this browser; null if nobody is. It is the one request here that
  // carries a cookie: the API takes none.
  async function fromConsole() {
    try {
      const response = await fetch("/session/token", { method: "POST", credentials: "same-origin", cache: "no-store" });
      return response.ok ? (await response.json()).token : null;
    } catch {
      return null;
    }
  }

  // takeMenu puts the console's menu in the place of the one for strangers.
  async function takeMenu() {
    try {
      const response = await fetch("/session/menu", { credentials: "same-origin", cache: "no-store" });
      if (response.status !== 200) return;
      const menu = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".side");
      if (menu !== null) byId("side").replaceWith(menu);
    } catch {
      // Without it there is still the way to the console.
    }
  }

  // label gives every editor a name that a screen reader says. Editors come and
  // go with tabs and tools.
  function label() {
    for (const [box, name] of EDITORS) {
      for (const field of document.querySelectorAll(`:is(${box}) .CodeMirror textarea:not([aria-label])`)) field.setAttribute("aria-label", name);
    }
  }

  // reason finds the words for people in an answer. A 401 carries an array of
  // objects with a list of descriptions, anything else the GraphQL errors.
  function reason(answer) {
    const { body } = answer;
    const texts = Array.isArray(body)
      ? body.flatMap((entry) => entry?.description ?? [])
      : (body?.errors ?? []).map((error) => error.message);
    return texts.length > 0 ? texts.join(" ") : `The server answered with status ${answer.status}.`;
  }

  const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

  // refuse drops a token that the server does not take. GraphiQL stays on the
  // page, so that a query half written survives the change of tokens.
  function refuse(answer) {
    sessionStorage.removeItem(STORE);
    sessionStorage.removeItem(RENEWS);
    show("refused", `${sentence(reason(answer))} Please use a new one.`);
  }

  async function fetcher(params) {
    const token = sessionStorage.getItem(STORE);
    if (token === null) {
      return { errors: [{ message: "There is no access token. Sign in to the console, or paste one into the bar above." }] };
    }
    let answer = await ask(token, params);
    if (answer.status === 401 && sessionStorage.getItem(RENEWS) !== null) {
      const fresh = await fromConsole();
      if (fresh !== null) {
        sessionStorage.setItem(STORE, fresh);
        answer = await ask(fresh, params);
      }
    }
    if (answer.status === 401) {
      // A newer token may have been taken while this request was under way.
      if (token === sessionStorage.getItem(STORE)) refuse(answer);
      return { errors: [{ message: reason(answer) }] };
    }
    return answer.body ?? { errors: [{ message: reason(answer) }] };
  }

  // mount puts GraphiQL on the page. It reads the schema as soon as it is there,
  // hence only after a token was accepted.
  function mount() {
    if (root !== null) return;
    new MutationObserver(label).observe(byId("graphiql"), { childList: true, subtree: true });
    root = ReactDOM.createRoot(byId("graphiql"));
    root.render(
      React.createElement(
        GraphiQL,
        {
          fetcher,
          defaultQuery: DEFAULT_QUERY,
          // GraphiQL's history writes the header editor's text to local storage,
          // where a pasted token would outlive the tab.
          isHeadersEditorEnabled: false,
          shouldPersistHeaders: false,
          showPersistHeadersSettings: false,
        },
        // The bar names the page already.
        React.createElement(GraphiQL.Logo, null, React.createElement(React.Fragment)),
      ),
    );
  }

  function unmount() {
    root?.unmount();
    root = null;
  }

  // use keeps a token and asks whose it is. Only a 401 drops it again: after any
  // other trouble, Use with an empty field tries the kept one once more.
  async function use(token) {
    const mine = ++attempt;
    sessionStorage.setItem(STORE, token);
    input.value = "";
    show("checking", "Checking the token…");
    let answer;
    try {
      answer = await ask(token, { query: WHO_AM_I });
    } catch {
      if (mine === attempt) show("refused", "The server could not be reached. Press Use to try again.");
      return;
    }
    if (mine !== attempt) return;
    if (answer.status === 401) {
      refuse(answer);
      return;
    }
    if (answer.status !== 200 || answer.body === null) {
      show("refused", `${sentence(reason(answer))} Press Use to try again.`);
      return;
    }
    const client = answer.body.data?.currentClient;
    const how = sessionStorage.getItem(RENEWS) === null ? "with the token you pasted" : "signed in to the console; no token is needed";
    show("ready", client
      ? `You are ${client.name} (${client.scopes.join(", ")}), ${how}.`
      : `Token accepted, but: ${reason(answer)}`);
    mount();
  }

  // clean takes a token as people paste it, with or without the scheme before it.
  const clean = (text) => text.trim().replace(/^bearer\s+/i, "");

  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = clean(input.value) || sessionStorage.getItem(STORE) || "";
    // Anything else cannot stand in a header, and fetch would only throw.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      show(document.body.dataset.state, token === "" ? "Paste an access token first." : "That does not look like an access token.");
      status.dataset.tone = "refused";
      return;
    }
    sessionStorage.removeItem(RENEWS);
    use(token);
  });

  forgetButton.addEventListener("click", () => {
    attempt++;
    sessionStorage.removeItem(STORE);
    sessionStorage.removeItem(RENEWS);
    unmount();
    input.value = "";
    show("empty", "The token is forgotten.");
    input.focus();
  });

  byId("base-url").textContent = location.origin;

  // The bar follows the theme picked in GraphiQL's settings even before GraphiQL
  // is there to set it.
  const theme = localStorage.getItem("graphiql:theme");
  if (theme === "light" || theme === "dark") document.body.classList.add(`graphiql-${theme}`);

  // A token that was pasted stays; one of the console is asked for anew, because
  // those do not live long.
  async function begin() {
    const kept = sessionStorage.getItem(STORE);
    const renews = sessionStorage.getItem(RENEWS) !== null;
    document.body.dataset.state = "checking";
    const given = kept === null || renews ? await fromConsole() : null;
    if (given !== null) {
      sessionStorage.setItem(RENEWS, "yes");
      use(given);
    } else if (kept !== null) {
      use(kept);
    } else {
      show("empty", "You are not signed in.");
    }
  }
  takeMenu();
  begin();
})();
