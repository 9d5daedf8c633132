import type { Impact } from "./impact.js";

/** What all errors of this library have in common. */
export class TenantryError extends Error {
  override name = "TenantryError";
}

/** One error of a GraphQL answer. */
export interface GraphQLErrorEntry {
  message: string;
  /** A stable word for the kind of error, such as FORBIDDEN. */
  code: string;
  /** The way to the field that failed. */
  path?: (string | number)[];
}

/** The errors of a GraphQL answer: the request was not right, or the server could not do it. */
export class GraphQLErrors extends TenantryError {
  override name = "GraphQLErrors";

  constructor(
    readonly errors: GraphQLErrorEntry[],
    /** Whatever data came with them. */
    readonly data: unknown = null,
  ) {
    super(errors.map((e) => (e.code ? `${e.message} (${e.code})` : e.message)).join(" "));
  }

  /** Says whether one of the errors has the code. */
  has(code: string): boolean {
    return this.errors.some((e) => e.code === code);
  }
}

/** A mutation would reach more tenants than expectTenants allows. Nothing was done. */
export class TooManyTenants extends GraphQLErrors {
  override name = "TooManyTenants";

  constructor(
    errors: GraphQLErrorEntry[],
    /** What the mutation would have done. */
    readonly impact: Impact,
    /** How many tenants it may reach. */
    readonly expected: number,
  ) {
    super(errors);
  }
}

/** One reason why a mutation was refused. */
export interface UserErrorEntry {
  /** A stable word for the kind of problem, such as TAKEN. */
  code: string;
  /** The path to the argument or attribute at fault; null when no single one is. */
  field: string[] | null;
  /** The problem in a sentence for people. */
  message: string;
}

/** The reasons why a mutation was refused. Nothing was changed. */
export class UserErrors extends TenantryError {
  override name = "UserErrors";

  constructor(readonly errors: UserErrorEntry[]) {
    super(errors.map((e) => (e.field?.length ? `${e.field.join(".")}: ${e.message}` : e.message)).join(" "));
  }

  /** Says whether one of the errors has the code. */
  has(code: string): boolean {
    return this.errors.some((e) => e.code === code);
  }
}

/** A refusal of the token endpoint: invalid_client or invalid_scope. */
export class AuthError extends TenantryError {
  override name = "AuthError";

  constructor(
    readonly status: number,
    readonly code: string,
    readonly description: string,
  ) {
    super(`no access token: ${description} (${code})`);
  }
}

/** An answer with a status that no GraphQL result has, after the tries that were worth making. */
export class HTTPError extends TenantryError {
  override name = "HTTPError";

  constructor(
    readonly status: number,
    /** The beginning of the answer's body. */
    readonly body: string,
    /** How many seconds the server asked to wait, if it did. */
    readonly retryAfter?: number,
  ) {
    super(`the server answered with status ${status}${body.trim() ? `: ${body.trim().slice(0, 200)}` : ""}`);
  }
}

/** No answer came: the server could not be reached, or the connection broke. Its cause says why. */
export class ConnectionError extends TenantryError {
  override name = "ConnectionError";
}
