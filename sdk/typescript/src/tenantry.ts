import { randomUUID } from "node:crypto";

import type { CallOptions } from "./caller.js";
import { GraphQLErrors, TenantryError, UserErrors, type UserErrorEntry } from "./errors.js";
import { failure, post, type Answer } from "./http.js";
import { Operations } from "./operations.js";
import { retry, retryAfter, Settled, sleep, StillRunning, type RetryPolicy, type Sleep } from "./retry.js";
import { TokenSource } from "./token.js";

/** All that can be set of a client. */
export interface TenantryOptions {
  /** Where Tenantry is, for example https://billing.example.com. */
  baseUrl: string;
  /** The credentials of an API client. */
  clientId: string;
  clientSecret: string;
  /** The scopes to ask for; standard:read and standard:write if left out. */
  scopes?: string[];
  /** Milliseconds for one try; 30,000 if left out. */
  timeout?: number;
  /** How often a request is made before its failure is thrown; 5 if left out. */
  maxTries?: number;
  /** The longest pause between two tries in milliseconds; 30,000 if left out. */
  maxWait?: number;
  /** Names your program, in front of the name of this library. */
  userAgent?: string;
  /** Makes the requests, instead of the global fetch. */
  fetch?: typeof fetch;
  /** @internal Pauses between two tries. */
  sleep?: Sleep;
  /** @internal The clock by which tokens run out. */
  now?: () => number;
}

interface Result {
  data?: Record<string, unknown> | null;
  errors?: { message: string; path?: (string | number)[]; extensions?: { code?: string } }[];
}

/**
 * Calls one Tenantry: a method for every query and mutation, and request for documents of your own. It gets access
 * tokens, renews them before they run out, and tries again what fails for a passing reason. Make one and share it.
 */
export class Tenantry extends Operations {
  readonly #endpoint: string;
  readonly #fetch: typeof fetch;
  readonly #timeout: number;
  readonly #agent: string;
  readonly #policy: RetryPolicy;
  readonly #tokens: TokenSource;

  constructor(options: TenantryOptions) {
    super();
    const base = parseBase(options.baseUrl);
    if (!options.clientId || !options.clientSecret) {
      throw new TenantryError("clientId and clientSecret are needed; make them in the console or with tenantry client create");
    }
    this.#endpoint = `${base}/graphql`;
    this.#fetch = options.fetch ?? fetch;
    this.#timeout = positive("timeout", options.timeout ?? 30_000);
    this.#agent = `${options.userAgent ?? ""} tenantry-node`.trim();
    this.#policy = {
      tries: positive("maxTries", options.maxTries ?? 5),
      maxWait: positive("maxWait", options.maxWait ?? 30_000),
      sleep: options.sleep ?? sleep,
    };
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      scope: (options.scopes ?? ["standard:read", "standard:write"]).join(" "),
      client_id: options.clientId,
      client_secret: options.clientSecret,
    }).toString();
    const type = "application/x-www-form-urlencoded";
    this.#tokens = new TokenSource(
      () => this.#post(`${base}/oauth/token`, { "Content-Type": type }, form, undefined),
      this.#policy,
      options.now ?? Date.now,
    );
  }

  /**
   * Runs a GraphQL document of your own and returns its data. If the answer has errors, it throws GraphQLErrors with
   * the data that came with them. What a mutation refuses is in its userErrors: select them.
   *
   * An Idempotency-Key goes with every document, which queries do not mind.
   */
  async request<T = Record<string, unknown>>(document: string, variables: object = {}, options: CallOptions = {}): Promise<T> {
    return (await this.#run(document, variables, options, options.idempotencyKey ?? randomUUID())) as T;
  }

  /** The secret that a platform's webhooks are signed with. It needs the scope admin:read. */
  async platformSigningSecret(key: { id?: string | number; code?: string }, options: CallOptions = {}): Promise<string | null> {
    const platform = await this.query<{ webhookSigningSecret: string } | null>(
      "query ($id: ID, $code: String) { platform(id: $id, code: $code) { webhookSigningSecret } }",
      "platform",
      key,
      options,
    );
    return platform?.webhookSigningSecret ?? null;
  }

  protected override async query<T>(document: string, field: string, variables: object, options: CallOptions = {}): Promise<T> {
    return (await this.#run(document, variables, options, undefined))[field] as T;
  }

  protected override async change<T>(
    document: string,
    field: string,
    part: string | undefined,
    variables: object,
    options: CallOptions = {},
  ): Promise<T> {
    const data = await this.#run(document, variables, options, options.idempotencyKey ?? randomUUID());
    const { userErrors, ...payload } = data[field] as { userErrors: UserErrorEntry[] } & Record<string, unknown>;
    if (userErrors.length > 0) {
      throw new UserErrors(userErrors);
    }
    return (part === undefined ? payload : payload[part]) as T;
  }

  /** Makes one call: as many requests as it takes. */
  async #run(document: string, variables: object, options: CallOptions, key: string | undefined): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ query: document, variables });
    const result = await retry(this.#policy, options.signal, () => this.#ask(body, key, options.signal));
    if (result.errors) {
      throw graphQLErrors(result);
    }
    if (!result.data) {
      throw new TenantryError("the answer has no data");
    }
    return result.data;
  }

  /** Makes one try, and a second if the token was refused: it may have been taken back, or run out on the way. */
  async #ask(body: string, key: string | undefined, signal: AbortSignal | undefined): Promise<Result> {
    for (let first = true; ; first = false) {
      const token = await this.#tokens.get(signal).catch((error: unknown) => {
        throw new Settled(error);
      });
      const headers: Record<string, string> = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      if (key !== undefined) {
        headers["Idempotency-Key"] = key;
      }
      const answer = await this.#post(this.#endpoint, headers, body, signal);
      if (answer.status === 401 && first) {
        this.#tokens.forget(token);
        continue;
      }
      return read(answer);
    }
  }

  #post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal | undefined): Promise<Answer> {
    const all = { ...headers, Accept: "application/json", "User-Agent": this.#agent };
    return post(this.#fetch, url, all, body, this.#timeout, signal);
  }
}

function read(answer: Answer): Result {
  if (answer.status !== 200) {
    throw failure(answer);
  }
  let result: Result;
  try {
    result = JSON.parse(answer.body) as Result;
  } catch (error) {
    throw new TenantryError("the answer is no GraphQL result; is the base URL right?", { cause: error });
  }
  const wait = retryAfter(answer.headers.get("retry-after"));
  if (wait !== undefined && result.errors?.some((e) => e.extensions?.code === "CONFLICT")) {
    throw new StillRunning(graphQLErrors(result), wait); // the first try with this key
  }
  return result;
}

function graphQLErrors(result: Result): GraphQLErrors {
  const errors = (result.errors ?? []).map((e) => ({
    message: e.message,
    code: e.extensions?.code ?? "",
    ...(e.path && { path: e.path }),
  }));
  return new GraphQLErrors(errors, result.data ?? null);
}

function parseBase(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TenantryError(`baseUrl must be like https://billing.example.com, not ${JSON.stringify(text)}`);
  }
  if (!["http:", "https:"].includes(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TenantryError("baseUrl must be http or https, without user, query or fragment");
  }
  return url.href.replace(/\/+$/, "");
}

function positive(name: string, value: number): number {
  if (!(value > 0)) {
    throw new TenantryError(`${name} must be more than 0`);
  }
  return value;
}
