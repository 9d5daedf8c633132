import type { IncomingMessage, ServerResponse } from "node:http";

import { parseBody, testTenantCode, type Change } from "./change.js";
import type { SequenceStore } from "./sequence.js";
import { header, keyOf, verify, WebhookError, type HeaderSource } from "./verify.js";

export interface WebhookOptions {
  /** The signing secrets of the platform: one, or both while it is rotated. */
  secrets: string | string[];
  /** Remembers the last change of each tenant. */
  store: SequenceStore;
  /** Makes a tenant equal to what a change tells. If it fails, the webhook comes again. */
  apply: (change: Change) => Promise<void> | void;
  /** Is called for test events; without it they are only verified and answered. */
  test?: (change: Change) => Promise<void> | void;
  /** Is told what apply, test or the store failed with. By default it goes to console.error. */
  onError?: (error: unknown, change: Change) => void;
  /** How many seconds a request may be old or ahead; 300 if left out. */
  tolerance?: number;
  /** How many bytes a webhook may have; 4 MiB if left out. */
  maxBody?: number;
  /** The clock that timestamps are compared with, in milliseconds. */
  now?: () => number;
}

/** What a webhook is answered with. */
export interface WebhookAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An error of apply that asks Tenantry to wait at least so many seconds before it sends the webhook again. */
export class Later extends Error {
  override name = "Later";

  constructor(
    readonly seconds: number,
    options?: ErrorOptions,
  ) {
    super(`later, after ${seconds} s`, options);
  }
}

const defaultMaxBody = 4 << 20;

/**
 * Receives webhooks: checks the signature and the age of a request, drops what is older than the last change of that
 * tenant unless it is marked forced, and calls apply with the rest, for one change of a tenant at a time. It answers 204
 * when that succeeded, 400, 401, 413 or 422 to what Tenantry did not send, and 500 (503 for Later) when apply failed.
 */
export class WebhookHandler {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    const secrets = [options.secrets].flat();
    if (secrets.length === 0) {
      throw new TypeError("no secret is given");
    }
    secrets.forEach(keyOf); // which throws
    if (typeof options.apply !== "function" || typeof options.store?.update !== "function") {
      throw new TypeError("a store and a function to apply changes with are needed");
    }
    this.#options = options;
  }

  /** Handles a webhook of any framework: its headers, and its raw body, not one byte changed. */
  async handle(headers: HeaderSource, body: string | Uint8Array): Promise<WebhookAnswer> {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    if (Buffer.byteLength(body) > this.#maxBody) {
      return this.#tooLarge();
    }
    let change: Change | undefined;
    try {
      change = this.#read(headers, body, text);
    } catch (error) {
      if (error instanceof WebhookError) {
        return answer(error.reason === "signature" ? 401 : 400, error.message);
      }
      return answer(422, (error as Error).message);
    }
    try {
      if (change) {
        await this.#take(change);
      }
      return answer(204);
    } catch (error) {
      (this.#options.onError ?? complain)(error, change as Change);
      const said = "the change was not applied; send it again"; // what failed is nobody else's business
      return error instanceof Later ? answer(503, said, { "Retry-After": String(Math.ceil(error.seconds)) }) : answer(500, said);
    }
  }

  /** Handles a request of fetch, as in Deno, Bun, Hono or Next.js. */
  fetch = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") {
      return respond(notPost);
    }
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of request.body ?? []) {
      size += part.length;
      if (size > this.#maxBody) {
        return respond(this.#tooLarge());
      }
      parts.push(part);
    }
    return respond(await this.handle(request.headers, Buffer.concat(parts)));
  };

  /** Handles a request of node:http, also as a route of Express, if nothing but express.raw has read the body before. */
  node = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = request.method === "POST" ? await this.#receive(request) : notPost;
    if (given === undefined) {
      return; // who sent it is gone
    }
    response.writeHead(given.status, given.headers);
    response.end(given.body);
  };

  async #receive(request: IncomingMessage): Promise<WebhookAnswer | undefined> {
    const { body } = request as { body?: unknown }; // of a framework
    if (body instanceof Uint8Array || typeof body === "string") {
      return this.handle(request.headers, body);
    }
    if (request.readableEnded) {
      return answer(500, "the body was read before its signature could be checked; put this handler before what parses bodies");
    }
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const part of request as AsyncIterable<Buffer>) {
        size += part.length;
        if (size <= this.#maxBody) {
          parts.push(part);
        }
      }
    } catch {
      return undefined;
    }
    return size > this.#maxBody ? this.#tooLarge() : this.handle(request.headers, Buffer.concat(parts));
  }

  get #maxBody(): number {
    return this.#options.maxBody ?? defaultMaxBody;
  }

  #tooLarge(): WebhookAnswer {
    return answer(413, `the webhook is larger than ${this.#maxBody} bytes`);
  }

  /** Verifies a request and reads its change; undefined for an event of a type that is not known here. */
  #read(headers: HeaderSource, body: string | Uint8Array, text: string): Change | undefined {
    const { id, timestamp } = verify(this.#options.secrets, headers, body, this.#options);
    const told = parseBody(text);
    if (!told) {
      return undefined;
    }
    const sequence = header(headers, "webhook-sequence");
    if (!/^\d{1,15}$/.test(sequence)) {
      throw new WebhookError("header", "webhook-sequence is missing or not a number");
    }
    return {
      ...told,
      delivery: {
        id,
        timestamp,
        sequence: Number(sequence),
        attempt: Number(header(headers, "webhook-attempt")) || 0,
        forced: header(headers, "webhook-forced") === "true",
        // The tenant of a test has no id, so no real one is ever taken for it.
        test: told.tenant.id === 0 && told.tenant.code === testTenantCode,
      },
    };
  }

  /** Applies a change, unless a newer one of the tenant was applied already. An equal one is the same state again. */
  async #take(change: Change): Promise<void> {
    const { apply, store, test } = this.#options;
    if (change.delivery.test) {
      return test?.(change);
    }
    const { sequence, forced } = change.delivery;
    await store.update(change.tenant.id, async (last) => {
      if (sequence < last && !forced) {
        return last;
      }
      await apply(change);
      return Math.max(last, sequence);
    });
  }
}

const notPost = answer(405, "send webhooks with POST", { Allow: "POST" });

function answer(status: number, text = "", headers: Record<string, string> = {}): WebhookAnswer {
  return { status, body: text, headers: text ? { ...headers, "Content-Type": "text/plain; charset=utf-8" } : headers };
}

function respond(given: WebhookAnswer): Response {
  return new Response(given.body || null, { status: given.status, headers: given.headers });
}

function complain(error: unknown, change: Change): void {
  console.error(`tenantry: webhook ${change.delivery.id} of tenant ${change.tenant.code} was not applied:`, error);
}
