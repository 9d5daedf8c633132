import { randomUUID } from "node:crypto";

import type { CallOptions } from "./caller.js";
import { GraphQLErrors, TenantryError, TooManyTenants, UserErrors, type GraphQLErrorEntry, type UserErrorEntry } from "./errors.js";
import { failure, post, type Answer } from "./http.js";
import type { Impact } from "./impact.js";
import { Operations } from "./operations.js";
import { retry, retryAfter, Settled, sleep, StillRunning, type RetryPolicy, type Sleep } from "./retry.js";
import { readState, statePath, type TenantStatePart, type TenantStateResult } from "./state.js";
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
  extensions?: { impact?: Impact };
}

/**
 * Calls one Tenantry: a method for every query and mutation, and request for documents of your own. It gets access
 * tokens, renews them before they run out, and tries again what fails for a passing reason. Make one and share it.
 */
export class Tenantry extends Operations {
  readonly #base: string;
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
    this.#base = base;
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
    return (await this.#run(document, variables, options, true)).data as T;
  }

  /**
   * Tries a mutation, and returns what it would have answered and what it would have done. Nothing is left behind.
   *
   * ```ts
   * const { impact } = await tenantry.preview((options) => tenantry.featureCreate({ productId, attributes }, options));
   * ```
   */
  async preview<T>(call: (options: CallOptions) => Promise<T>, options: CallOptions = {}): Promise<{ result: T; impact: Impact }> {
    let impact: Impact | undefined;
    const result = await call({ ...options, preview: true, onImpact: (given) => (impact = given) });
    if (!impact) {
      throw new TenantryError("the call made no mutation with the options it was given, so there is no preview of it");
    }
    return { result, impact };
  }

  /**
   * Sends a part of a report of what tenants have, which counts once however often it has to be sent. It is for those who
   * put the lines together themselves: the Reporter of "tenantry/webhook" does all of it.
   */
  async tenantStateSend(part: TenantStatePart, options: CallOptions = {}): Promise<TenantStateResult> {
    const headers = { "Content-Type": "application/x-ndjson", ...mutationHeaders(options) };
    return retry(this.#policy, options.signal, async () => readState(await this.#ask(statePath(part), headers, part.lines, options.signal)));
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
    return (await this.#run(document, variables, options, false)).data[field] as T;
  }

  protected override async change<T>(
    document: string,
    field: string,
    part: string | undefined,
    variables: object,
    options: CallOptions = {},
  ): Promise<T> {
    const { data, impact } = await this.#run(document, variables, options, true);
    if (options.preview && !impact) {
      throw new TenantryError("the answer to a preview has no impact: the server knows no previews, and has carried out the mutation");
    }
    const { userErrors, ...payload } = data[field] as { userErrors: UserErrorEntry[] } & Record<string, unknown>;
    if (userErrors.length > 0) {
      throw new UserErrors(userErrors);
    }
    return (part === undefined ? payload : payload[part]) as T;
  }

  /** Makes one call: as many requests as it takes. */
  async #run(
    document: string,
    variables: object,
    options: CallOptions,
    once: boolean,
  ): Promise<{ data: Record<string, unknown>; impact: Impact | undefined }> {
    const body = JSON.stringify({ query: document, variables });
    const headers = { "Content-Type": "application/json", ...(once && mutationHeaders(options)) };
    const result = await retry(this.#policy, options.signal, async () => read(await this.#ask("/graphql", headers, body, options.signal)));
    const impact = once ? result.extensions?.impact : undefined;
    if (options.preview && impact) {
      options.onImpact?.(impact);
    }
    if (result.errors) {
      throw tooMany(result, options.expectTenants) ?? graphQLErrors(result);
    }
    if (!result.data) {
      throw new TenantryError("the answer has no data");
    }
    return { data: result.data, impact };
  }

  /** Makes one try, and a second if the token was refused: it may have been taken back, or run out on the way. */
  async #ask(path: string, headers: Record<string, string>, body: string, signal: AbortSignal | undefined): Promise<Answer> {
    for (let first = true; ; first = false) {
      const token = await this.#tokens.get(signal).catch((error: unknown) => {
        throw new Settled(error);
      });
      const answer = await this.#post(this.#base + path, { ...headers, Authorization: `Bearer ${token}` }, body, signal);
      if (answer.status === 401 && first) {
        this.#tokens.forget(token);
        continue;
      }
      return answer;
    }
  }

  #post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal | undefined): Promise<Answer> {
    const all = { ...headers, Accept: "application/json", "User-Agent": this.#agent };
    return post(this.#fetch, url, all, body, this.#timeout, signal);
  }
}

/** What makes a mutation happen once, or not at all. A preview has no key: the mutation after it may have the same. */
function mutationHeaders(options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = options.preview
    ? { "Tenantry-Preview": "true" }
    : { "Idempotency-Key": options.idempotencyKey ?? randomUUID() };
  if (options.expectTenants !== undefined) {
    headers["Tenantry-Expect-Tenants"] = String(options.expectTenants);
  }
  return headers;
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

function entries(result: Result): GraphQLErrorEntry[] {
  return (result.errors ?? []).map((e) => ({
    message: e.message,
    code: e.extensions?.code ?? "",
    ...(e.path && { path: e.path }),
  }));
}

function graphQLErrors(result: Result): GraphQLErrors {
  return new GraphQLErrors(entries(result), result.data ?? null);
}

/** The error of an answer that the guard gave instead of the mutation's. */
function tooMany(result: Result, expected: number | undefined): TooManyTenants | undefined {
  const impact = result.extensions?.impact;
  if (expected === undefined || !impact || impact.tenants <= expected) {
    return undefined;
  }
  return new TooManyTenants(entries(result), impact, expected);
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
