import type { IncomingMessage, ServerResponse } from "node:http";

import { keyOf, WebhookError, type HeaderSource } from "./verify.js";

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

/** What all receivers of webhooks have in common: they take requests of any framework. */
export abstract class Receiver {
  /** How many bytes a webhook may have. */
  protected readonly maxBody: number;

  constructor(maxBody: number | undefined) {
    this.maxBody = maxBody ?? defaultMaxBody;
  }

  /** Handles a webhook of any framework: its headers, and its raw body, not one byte changed. */
  abstract handle(headers: HeaderSource, body: string | Uint8Array): Promise<WebhookAnswer>;

  /** Handles a request of fetch, as in Deno, Bun, Hono or Next.js. */
  fetch = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") {
      return respond(notPost);
    }
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of request.body ?? []) {
      size += part.length;
      if (size > this.maxBody) {
        return respond(this.tooLarge());
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
        if (size <= this.maxBody) {
          parts.push(part);
        }
      }
    } catch {
      return undefined;
    }
    return size > this.maxBody ? this.tooLarge() : this.handle(request.headers, Buffer.concat(parts));
  }

  protected tooLarge(): WebhookAnswer {
    return answer(413, `the webhook is larger than ${this.maxBody} bytes`);
  }
}

/** Throws if no secret is given, or one that is none. */
export function checkSecrets(given: string | string[]): void {
  const secrets = [given].flat();
  if (secrets.length === 0) {
    throw new TypeError("no secret is given");
  }
  secrets.forEach(keyOf); // which throws
}

/** The answer to what Tenantry did not send. */
export function refused(error: unknown): WebhookAnswer {
  if (error instanceof WebhookError) {
    return answer(error.reason === "signature" ? 401 : 400, error.message);
  }
  return answer(422, (error as Error).message);
}

/** The answer to a webhook that is to be sent again. What failed is nobody else's business. */
export function failed(error: unknown): WebhookAnswer {
  const said = "the change was not applied; send it again";
  return error instanceof Later ? answer(503, said, { "Retry-After": String(Math.ceil(error.seconds)) }) : answer(500, said);
}

const notPost = answer(405, "send webhooks with POST", { Allow: "POST" });

export function answer(status: number, text = "", headers: Record<string, string> = {}): WebhookAnswer {
  return { status, body: text, headers: text ? { ...headers, "Content-Type": "text/plain; charset=utf-8" } : headers };
}

function respond(given: WebhookAnswer): Response {
  return new Response(given.body || null, { status: given.status, headers: given.headers });
}
