import { AuthError, TenantryError } from "./errors.js";
import { isPassing, retry, type RetryPolicy } from "./retry.js";
import { failure, type Answer } from "./http.js";

interface Token {
  text: string;
  renew: number;
  expires: number;
}

// A token is renewed when a fifth of its life is left, but at most a minute.
const renewShare = 5;
const longestRenew = 60_000;
const renewPause = 1_000;

/** Gets access tokens and remembers the last. However many calls need one, there is one request for it at a time. */
export class TokenSource {
  private current: Token | undefined;
  private fetching: Promise<Token> | undefined;
  // Keeps a renewal that failed from being tried with each call while the token still works.
  private notBefore = 0;

  constructor(
    private readonly send: () => Promise<Answer>,
    private readonly policy: RetryPolicy,
    private readonly now: () => number,
  ) {}

  /** Returns a token that has not run out; one that soon will is renewed without anybody waiting for it. */
  async get(signal: AbortSignal | undefined): Promise<string> {
    const now = this.now();
    const current = this.current;
    if (current && now < current.expires) {
      if (now >= current.renew && now >= this.notBefore) {
        this.start().catch(() => {}); // the token at hand still works
      }
      return current.text;
    }
    signal?.throwIfAborted();
    return (await abortable(this.start(), signal)).text;
  }

  /** Drops a token that was refused, unless there is another already. */
  forget(text: string): void {
    if (this.current?.text === text) {
      this.current = undefined;
    }
  }

  private start(): Promise<Token> {
    this.fetching ??= retry(this.policy, undefined, () => this.request())
      .then(
        (token) => (this.current = token),
        (error) => {
          this.notBefore = this.now() + renewPause;
          throw error;
        },
      )
      .finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async request(): Promise<Token> {
    const asked = this.now(); // the server's clock may be another
    const answer = await this.send();
    const body = parse(answer.body);
    if (answer.status !== 200) {
      if (!isPassing(answer.status) && typeof body.error === "string") {
        throw new AuthError(answer.status, body.error, String(body.error_description ?? ""));
      }
      throw failure(answer);
    }
    if (typeof body.access_token !== "string" || typeof body.expires_in !== "number") {
      throw new TenantryError("the token endpoint gave no token; is the base URL right?");
    }
    const life = body.expires_in * 1000;
    const expires = asked + life;
    return { text: body.access_token, expires, renew: expires - Math.min(life / renewShare, longestRenew) };
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Waits for a promise, or until the signal says that nobody waits any more. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
