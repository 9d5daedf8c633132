// Starts a real Tenantry for tests, and a network in front of it that can break.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { Tenantry } from "tenantry";

export const clientId = "library";
export const clientSecret = "library-secret-0123456789-abcdefghij";
export const allScopes = ["standard:read", "standard:write", "billing:read", "billing:write", "platform:write", "admin:read", "admin:write"];

// Each file is tested in a process of its own: what it started ends with it.
const cleanups = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) {
    await cleanup();
  }
});

/** Calls a function when the tests of the file are over. */
export const atEnd = (cleanup) => void cleanups.push(cleanup);

/** The program under test: TENANTRY_BINARY, or built from the sources around this folder. */
function binary(folder) {
  if (process.env.TENANTRY_BINARY) {
    return process.env.TENANTRY_BINARY;
  }
  const built = join(folder, "tenantry");
  execFileSync("go", ["build", "-o", built, "./cmd/tenantry"], { cwd: new URL("../../..", import.meta.url), stdio: "inherit" });
  return built;
}

/** Runs a server until the tests of the file are over; returns its address. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), "tenantry-test-"));
  const child = spawn(binary(folder), ["serve", "--listen", "127.0.0.1:0", "--db", `sqlite:${join(folder, "tenantry.db")}`], {
    env: { ...process.env, TENANTRY_CLIENT_ID: clientId, TENANTRY_CLIENT_SECRET: clientSecret },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  cleanups.push(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let log = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (text) => {
      log += text;
      const found = /listening on (http:\S+)\n/.exec(log);
      if (found) {
        resolve(found[1]);
      }
    });
    ended.then(() => reject(new Error(`the server ended:\n${log}`)));
  });
}

/** A way to a server, on which things go wrong as they are told to. */
export async function startNetwork(base) {
  const network = { url: "", seen: [], faults: {} };
  network.requests = (path) => network.seen.filter((r) => r.path === path);
  network.breakNext = (path, ...faults) => (network.faults[path] ??= []).push(...faults);
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    network.seen.push({ path: request.url, headers: request.headers });
    const carry = async () => {
      const { host, connection, "content-length": length, "transfer-encoding": coding, ...headers } = request.headers;
      const carried = await fetch(base + request.url, { method: request.method, headers, body: Buffer.concat(chunks) });
      return { status: carried.status, headers: Object.fromEntries(carried.headers), body: await carried.text() };
    };
    const fault = network.faults[request.url]?.shift();
    const answer = fault ? await fault({ carry, request, response }) : await carry();
    if (answer) {
      delete answer.headers?.["content-length"];
      response.writeHead(answer.status, answer.headers ?? {});
      response.end(answer.body);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  network.url = `http://127.0.0.1:${server.address().port}`;
  return network;
}

/** A fault that answers by itself. */
export const answers = (status, body = "", headers = {}) => () => ({ status, body, headers });

/** A fault that closes the connection. */
export const cut = ({ request }) => void request.socket.destroy();

/** Lets the server do its work and closes the connection then. */
export const loseAnswer = async ({ carry, request }) => {
  await carry();
  request.socket.destroy();
};

/** Breaks off in the middle of a body. */
export const halfAnswer = ({ response }) => {
  response.writeHead(200, { "Content-Length": "1000" });
  response.write('{"data":', () => response.destroy());
};

/** A client that does not really wait, and the pauses it was asked for. */
export function dial(baseUrl, options = {}) {
  const pauses = [];
  const client = new Tenantry({
    baseUrl,
    clientId,
    clientSecret,
    sleep: async (milliseconds, signal) => {
      pauses.push(milliseconds);
      signal?.throwIfAborted();
    },
    ...options,
  });
  return { client, pauses };
}

/** Asks until it is so. */
export async function eventually(what, so, patience = 60_000) {
  const deadline = Date.now() + patience;
  while (!(await so())) {
    if (Date.now() > deadline) {
      throw new Error(`never: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
