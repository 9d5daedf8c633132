import type { Impact } from "./impact.js";

/** What can be set for one call. */
export interface CallOptions {
  /** Ends the call when it is aborted, whatever it waits for. */
  signal?: AbortSignal;
  /**
   * A key of your own for a mutation, unique for each. With one that outlives your process, such as the id of a job, the
   * mutation happens once even if the process dies and does it again. The server remembers keys for 24 hours.
   */
  idempotencyKey?: string;
  /**
   * Only tries a mutation: the server carries it out, takes everything back, and answers as if it had happened. What it
   * would have done goes to onImpact. {@link Tenantry.preview} sets both. Queries are not affected.
   */
  preview?: boolean;
  /** Is told what a mutation with preview would do. */
  onImpact?: (impact: Impact) => void;
  /** How many tenants a mutation may reach. One that would reach more fails with TooManyTenants, before anything happens. */
  expectTenants?: number;
}

/** Which part of a list a connection is asked for. */
export interface Page {
  /** How many entries the page has at most, from 1 to 1000; 50 if left out. */
  first?: number | null;
  /** The cursor behind which the page starts; the beginning if left out. */
  after?: string | null;
  /** Asks for totalCount, which costs the server a count. */
  total?: boolean;
}

/** One page of a list. */
export interface Connection<T> {
  nodes: T[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  /** How many entries all pages have together, if the page asked for it. */
  totalCount?: number;
}

const pageSize = 200;

/** What the generated calls are made of. */
export abstract class Caller {
  /** Runs a document with one field and returns that. */
  protected abstract query<T>(document: string, field: string, variables: object, options?: CallOptions): Promise<T>;

  /** Runs a mutation and returns its payload or one part of it, unless the mutation was refused. */
  protected abstract change<T>(
    document: string,
    field: string,
    part: string | undefined,
    variables: object,
    options?: CallOptions,
  ): Promise<T>;

  /** Goes through every page of a list. */
  protected async *all<T>(next: (page: Page) => Promise<Connection<T>>): AsyncGenerator<T, void> {
    let after: string | null = null;
    for (;;) {
      const page: Connection<T> = await next({ first: pageSize, after });
      yield* page.nodes;
      if (!page.pageInfo.hasNextPage || page.pageInfo.endCursor === null) {
        return;
      }
      after = page.pageInfo.endCursor;
    }
  }
}
