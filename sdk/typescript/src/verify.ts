import { createHmac, timingSafeEqual } from "node:crypto";

/** Headers as fetch has them, or as node:http has them, with names in lower case. */
export type HeaderSource = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How many seconds a request may be old or ahead; 300 if left out. */
  tolerance?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

/** Says why a request was not accepted: headers are missing, no signature fits, or it is too old or too new. */
export class WebhookError extends Error {
  override name = "WebhookError";

  constructor(
    readonly reason: "header" | "signature" | "timestamp",
    message: string,
  ) {
    super(message);
  }
}

/** Returns a header's value; "" if it is missing. */
export function header(headers: HeaderSource, name: string): string {
  if ("get" in headers && typeof headers.get === "function") {
    return headers.get(name) ?? "";
  }
  const value = (headers as Record<string, string | string[] | undefined>)[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** The number of an event. Throws if there is none. */
export function sequenceOf(headers: HeaderSource): number {
  const sequence = header(headers, "webhook-sequence");
  if (!/^\d{1,15}$/.test(sequence)) {
    throw new WebhookError("header", "webhook-sequence is missing or not a number");
  }
  return Number(sequence);
}

/** The key in a secret, "whsec_" and base64. */
export function keyOf(secret: string): Buffer {
  const encoded = String(secret ?? "").replace(/^whsec_/, "");
  const key = Buffer.from(encoded, "base64");
  if (key.length === 0 || key.toString("base64").replace(/=+$/, "") !== encoded.replace(/=+$/, "")) {
    throw new TypeError("a webhook secret is whsec_ and a key in base64; it is the webhookSigningSecret of the platform");
  }
  return key;
}

/**
 * Checks that a request comes from Tenantry, as Standard Webhooks has it, with any of the secrets, and returns its id and
 * time. body is the raw body, not one byte changed. Throws a WebhookError otherwise.
 */
export function verify(
  secrets: string | string[],
  headers: HeaderSource,
  body: string | Uint8Array,
  options: VerifyOptions = {},
): { id: string; timestamp: Date } {
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) {
    throw new TypeError("no secret is given");
  }
  const id = header(headers, "webhook-id");
  const stamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (!id || !signatures || !/^\d{1,12}$/.test(stamp)) {
    throw new WebhookError("header", "webhook-id, webhook-timestamp or webhook-signature is missing or not in order");
  }
  const given = signatures
    .split(" ")
    .filter((text) => text.startsWith("v1,"))
    .slice(0, 32) // nobody needs more, and each costs work
    .map((text) => Buffer.from(text.slice(3), "base64"));
  const fits = keys.some((key) => {
    const sum = createHmac("sha256", key).update(`${id}.${stamp}.`).update(body).digest();
    return given.some((signature) => signature.length === sum.length && timingSafeEqual(signature, sum));
  });
  if (!fits) {
    throw new WebhookError("signature", "no signature fits; is the secret the one of this platform, and is the body unchanged?");
  }
  const timestamp = new Date(Number(stamp) * 1000);
  const age = (options.now ?? Date.now)() - timestamp.getTime();
  if (Math.abs(age) > (options.tolerance ?? 300) * 1000) {
    throw new WebhookError("timestamp", "the timestamp is too far from the receiver's clock");
  }
  return { id, timestamp };
}
