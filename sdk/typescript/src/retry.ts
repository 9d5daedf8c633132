import { ConnectionError, HTTPError, type GraphQLErrors } from "./errors.js";

/** The answer to a key whose first request is not over yet. */
export class StillRunning extends Error {
  constructor(
    readonly errors: GraphQLErrors,
    readonly seconds: number,
  ) {
    super(errors.message);
  }
}

/** An error that was tried again already, by somebody else. */
export class Settled extends Error {
  constructor(readonly error: unknown) {
    super();
  }
}

export type Sleep = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;

export interface RetryPolicy {
  tries: number;
  /** The longest pause in milliseconds. */
  maxWait: number;
  sleep: Sleep;
}

const firstWait = 200;

const passing = new Set([429, 502, 503, 504]);

// What will not be better at the next try.
const certificateCodes = /^(ERR_TLS_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

export function isPassing(status: number): boolean {
  return passing.has(status);
}

// How long the first try with a key is waited for, in milliseconds. The server gives up on it before that.
const stillRunningTime = 120_000;

/**
 * Runs try until it succeeds, fails for good, or was tried often enough. Asking whether an earlier try is over counts for
 * none.
 */
export async function retry<T>(policy: RetryPolicy, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
  let waited = 0;
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = judge(policy, error, n);
      if (error instanceof StillRunning && waited < stillRunningTime) {
        waited += wait ?? 0;
        n--;
      }
      if (wait === undefined || n >= policy.tries) {
        throw final(error);
      }
      await policy.sleep(wait, signal);
    }
  }
}

/** How long to wait for an error to pass; undefined if it will not, or not soon enough. */
function judge(policy: RetryPolicy, error: unknown, n: number): number | undefined {
  let asked = 0;
  if (error instanceof StillRunning) {
    asked = error.seconds * 1000;
  } else if (error instanceof HTTPError && isPassing(error.status)) {
    asked = (error.retryAfter ?? 0) * 1000;
  } else if (!(error instanceof ConnectionError) || certificateCodes.test(codeOf(error.cause))) {
    return undefined;
  }
  if (asked > policy.maxWait) {
    return undefined;
  }
  // Between half and the whole, so that many clients do not come back at the same moment.
  const whole = Math.min(firstWait * 2 ** (n - 1), policy.maxWait);
  return Math.max(asked, whole / 2 + (Math.random() * whole) / 2);
}

/** The code of an error or of what caused it. */
function codeOf(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    if ("code" in e && typeof e.code === "string") {
      return e.code;
    }
  }
  return "";
}

function final(error: unknown): unknown {
  if (error instanceof StillRunning) {
    return error.errors;
  }
  return error instanceof Settled ? error.error : error;
}

/** The seconds of a Retry-After header: a number or a date. */
export function retryAfter(header: string | null): number | undefined {
  if (header === null) {
    return undefined;
  }
  if (/^\d+$/.test(header)) {
    return Number(header);
  }
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) {
      stop();
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}
