import { parseBody, testTenantCode, type Change } from "./change.js";
import { answer, checkSecrets, failed, Receiver, refused, type WebhookAnswer } from "./receiver.js";
import type { SequenceStore } from "./sequence.js";
import { header, sequenceOf, verify, type HeaderSource } from "./verify.js";

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

/**
 * Receives webhooks: checks the signature and the age of a request, drops what is older than the last change of that
 * tenant unless it is marked forced, and calls apply with the rest, for one change of a tenant at a time. It answers 204
 * when that succeeded, 400, 401, 413 or 422 to what Tenantry did not send, and 500 (503 for Later) when apply failed.
 */
export class WebhookHandler extends Receiver {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    super(options.maxBody);
    checkSecrets(options.secrets);
    if (typeof options.apply !== "function" || typeof options.store?.update !== "function") {
      throw new TypeError("a store and a function to apply changes with are needed");
    }
    this.#options = options;
  }

  /** Handles a webhook of any framework: its headers, and its raw body, not one byte changed. */
  async handle(headers: HeaderSource, body: string | Uint8Array): Promise<WebhookAnswer> {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    if (Buffer.byteLength(body) > this.maxBody) {
      return this.tooLarge();
    }
    let change: Change | undefined;
    try {
      change = this.#read(headers, body, text);
    } catch (error) {
      return refused(error);
    }
    try {
      if (change) {
        await this.#take(change);
      }
      return answer(204);
    } catch (error) {
      (this.#options.onError ?? complain)(error, change as Change);
      return failed(error);
    }
  }

  /** Verifies a request and reads its change; undefined for an event of a type that is not known here. */
  #read(headers: HeaderSource, body: string | Uint8Array, text: string): Change | undefined {
    const { id, timestamp } = verify(this.#options.secrets, headers, body, this.#options);
    const told = parseBody(text);
    if (!told) {
      return undefined;
    }
    const sequence = sequenceOf(headers);
    return {
      ...told,
      delivery: {
        id,
        timestamp,
        sequence,
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

function complain(error: unknown, change: Change): void {
  console.error(`tenantry: webhook ${change.delivery.id} of tenant ${change.tenant.code} was not applied:`, error);
}
