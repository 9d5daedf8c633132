import { randomUUID } from "node:crypto";

import type { Feature } from "./change.js";
import type { DriftOutcomes } from "./operations.js";
import { sleep, type Sleep } from "./retry.js";
import type { SequenceStore } from "./sequence.js";
import { maxStateBytes, maxStateTenants, type DifferingTenant, type TenantStateResult } from "./state.js";
import type { Tenantry } from "./tenantry.js";

/** A feature that a tenant has in your application. */
export type ReportedFeature = Pick<Feature, "code"> & Partial<Pick<Feature, "value" | "quantity">>;

/** What a tenant has in your application. */
export interface TenantState {
  /** The tenant's code, as in a change. */
  code: string;
  /** The tenant's id, as in a change. It is needed if the reporter has sequences, and not used otherwise. */
  id?: number;
  /** The highest sequence that was applied to the tenant, 0 if none was. Leave it out if the reporter has sequences. */
  sequence?: number;
  /** All that the tenant has. Leave it out if the reporter has sequences. */
  features?: ReportedFeature[];
  /** When your application looked; if left out, when the report began or, with sequences, when the tenant's turn came. */
  at?: Date;
}

export interface ReporterOptions {
  /** Sends the reports. It needs the scope standard:write. */
  client: Pick<Tenantry, "tenantStateSend">;
  /** The code of the platform whose tenants these are. */
  platform: string;
  /**
   * Gives every tenant that the application has, once. If it throws, the report is not completed, and nothing counts as
   * missing.
   */
  tenants?: () => AsyncIterable<TenantState> | Iterable<TenantState>;
  /**
   * The store of the webhook handler, if tenants does not give sequences. A MemoryStore is right only if features are
   * forgotten together with it.
   */
  sequences?: SequenceStore;
  /**
   * Returns all that a tenant has, null if it is not there any more. It is needed with sequences. In an SqlStore,
   * {@link SqlStore.transaction} is the transaction.
   */
  features?: (tenant: TenantState) => Promise<ReportedFeature[] | null> | ReportedFeature[] | null;
  /** Is told of each report of start. */
  onReport?: (report: Report) => void;
  /** Is told why a report of start failed. By default it goes to console.error. */
  onError?: (error: unknown) => void;
  /** The most tenants of a request, for proxies that accept less than Tenantry does; 10,000 if left out. */
  maxTenants?: number;
  /** The most bytes of a request; 8 MiB if left out. */
  maxBytes?: number;
  /** @internal Pauses between two reports. */
  sleep?: Sleep;
  /** @internal The clock, in milliseconds. */
  now?: () => number;
}

/** What came of a report. */
export interface Report {
  /** Names a full report, in Platform.driftReports and in the console; left out for a report of some tenants. */
  id?: string;
  /** How many tenants were reported. */
  tenants: number;
  /** In how many requests. */
  requests: number;
  /** How many tenants had each outcome. */
  outcomes: DriftOutcomes;
  /** The first 100 tenants that are not in sync. Missing ones are only counted: tenants finds them with the filter "drift:missing". */
  differing: DifferingTenant[];
  /** How many tenants were told their state again. */
  repaired: number;
  /** Whether too much of a full report differs for it to be believed, so that nothing is repaired until a person does it. */
  held: boolean;
}

const mostDiffering = 100;
const mostFirstPause = 60_000;

/** The longest time that a timer can wait for, with room for what is added to spread reports. */
const longestPause = 24 * 24 * 60 * 60 * 1000 * 0.95;

/**
 * Tells Tenantry what tenants have in your application, so that it finds what differs from what the application was told,
 * and repairs it if the platform's drift policy says so.
 *
 * Sequence and features of a tenant must be of one moment: if a webhook is applied between reading the one and the other,
 * the tenant looks wrong. There are two ways. Either tenants gives both, read in one statement or one transaction: an
 * SqlStore keeps sequences in the table tenantry_tenant of your database, which can be joined. This is the fast way. Or
 * sequences is the store of the webhook handler: tenants gives codes and ids, and features is called for each of them inside
 * of store.update, where no webhook is applied to that tenant. This works with every store, and writes to it.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  #running = false;
  #schedule: { stop: AbortController; over: Promise<void> } | undefined;

  constructor(options: ReporterOptions) {
    if (typeof options.client?.tenantStateSend !== "function" || !options.platform) {
      throw new TypeError("a client and a platform are needed");
    }
    if ((options.sequences === undefined) !== (options.features === undefined)) {
      throw new TypeError("sequences and features are needed, or none of them");
    }
    this.#options = options;
  }

  /**
   * Makes one full report: it sends every tenant and completes the report, so that tenants that are not in it count as
   * missing. If anything fails, the report is never completed, and the next one has another id.
   */
  async report(options: { signal?: AbortSignal } = {}): Promise<Report> {
    if (!this.#options.tenants) {
      throw new TypeError("tenants is needed for a full report");
    }
    if (this.#running) {
      throw new Error("another report is under way");
    }
    this.#running = true;
    try {
      const sending = new Sending(this.#options, randomUUID(), options.signal);
      for await (const tenant of this.#options.tenants()) {
        await sending.add(tenant);
      }
      await sending.flush(true);
      return sending.report;
    } finally {
      this.#running = false;
    }
  }

  /**
   * Reports some tenants only, for example after something was repaired. The others do not count as missing. With
   * sequences it must not be called by what a webhook handler calls, because the tenant's turn is taken then.
   */
  async reportTenants(tenants: Iterable<TenantState>, options: { signal?: AbortSignal } = {}): Promise<Report> {
    const sending = new Sending(this.#options, undefined, options.signal);
    for (const tenant of tenants) {
      await sending.add(tenant);
    }
    await sending.flush(false);
    return sending.report;
  }

  /**
   * Makes a full report again and again until stop, one at a time. They begin about so many milliseconds apart, give or
   * take five per cent, and the first begins within a minute, so that many processes do not report at the same moment. A
   * report that fails goes to onError, and the next one comes all the same. One process that reports is enough.
   */
  start(every: number): void {
    if (!(every > 0)) {
      throw new TypeError("the milliseconds between two reports must be more than 0");
    }
    if (every > longestPause) {
      throw new TypeError("there must be at most 24 days between two reports");
    }
    if (this.#schedule) {
      throw new Error("the reporter was started before");
    }
    const stop = new AbortController();
    this.#schedule = { stop, over: this.#run(every, stop.signal) };
  }

  /** Ends the schedule, and a report of it that is under way, and waits until it is over. */
  async stop(): Promise<void> {
    const schedule = this.#schedule;
    schedule?.stop.abort();
    await schedule?.over;
    this.#schedule = undefined;
  }

  async #run(every: number, signal: AbortSignal): Promise<void> {
    const now = this.#options.now ?? Date.now;
    const rest = this.#options.sleep ?? sleep;
    let pause = Math.random() * Math.min(every / 10, mostFirstPause);
    while (!signal.aborted) {
      try {
        await rest(pause, signal);
      } catch {
        return; // it was stopped
      }
      const begun = now();
      await this.#runOnce(signal);
      pause = Math.max(0, every * (0.95 + Math.random() / 10) - (now() - begun));
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { onReport, onError = complain } = this.#options;
    try {
      const report = await this.report({ signal });
      onReport?.(report);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      try {
        onError(error);
      } catch (thrown) {
        complain(thrown);
      }
    }
  }
}

function complain(error: unknown): void {
  console.error("tenantry: tenants were not reported:", error);
}

/** A report under way. It holds the lines of one request at most. */
class Sending {
  readonly report: Report;
  readonly #options: ReporterOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #now: () => number;
  readonly #begun: Date;
  readonly #maxTenants: number;
  readonly #maxBytes: number;
  #lines: string[] = [];
  #bytes = 0;

  constructor(options: ReporterOptions, id: string | undefined, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#signal = signal;
    this.#now = options.now ?? Date.now;
    this.#begun = new Date(this.#now());
    this.#maxTenants = Math.min(options.maxTenants ?? maxStateTenants, maxStateTenants);
    this.#maxBytes = Math.min(options.maxBytes ?? maxStateBytes, maxStateBytes);
    const outcomes = { inSync: 0, behind: 0, drifted: 0, ahead: 0, unknownTenant: 0, missing: 0 };
    this.report = { ...(id !== undefined && { id }), tenants: 0, requests: 0, outcomes, differing: [], repaired: 0, held: false };
  }

  /** Takes a tenant into the next request, and sends that before if it is full. */
  async add(given: TenantState): Promise<void> {
    this.#signal?.throwIfAborted();
    const tenant = this.#options.sequences ? await this.#look(given, this.#options.sequences) : given;
    if (!tenant) {
      return;
    }
    const line = toLine(tenant, this.#begun);
    const bytes = Buffer.byteLength(line);
    if (bytes > this.#maxBytes) {
      throw new Error(`tenant ${JSON.stringify(tenant.code)} has ${bytes} bytes of features, and a request has at most ${this.#maxBytes}`);
    }
    if (this.#lines.length === this.#maxTenants || this.#bytes + bytes > this.#maxBytes) {
      await this.flush(false);
    }
    this.#lines.push(line);
    this.#bytes += bytes;
  }

  /**
   * Reads the sequence and the features of a tenant in its turn: the handler, which needs the turn too, changes neither of
   * them meanwhile.
   */
  async #look(tenant: TenantState, store: SequenceStore): Promise<TenantState | undefined> {
    if (!tenant.id) {
      const name = JSON.stringify(tenant.code);
      throw new TypeError(`tenant ${name} has no id, by which the store knows it: leave out tenants that no webhook has told of`);
    }
    let found: TenantState | undefined;
    await store.update(tenant.id, async (sequence) => {
      const at = new Date(this.#now());
      const features = await this.#options.features?.(tenant);
      found = features ? { code: tenant.code, sequence, features, at } : undefined;
      return sequence;
    });
    return found;
  }

  /** Sends what has been taken in. The last part of a full report is sent even if nothing is left for it. */
  async flush(complete: boolean): Promise<void> {
    if (this.#lines.length === 0 && !complete) {
      return;
    }
    const { client, platform } = this.#options;
    const { id } = this.report;
    const part = { platform, complete, lines: this.#lines.join(""), ...(id !== undefined && { report: id }) };
    const result = await client.tenantStateSend(part, this.#signal ? { signal: this.#signal } : {});
    this.report.requests++;
    this.report.tenants += this.#lines.length;
    this.#count(result);
    this.#lines = [];
    this.#bytes = 0;
  }

  /** Adds what came of a part. The server has the sum of a full report. */
  #count(part: TenantStateResult): void {
    const { report } = this;
    report.repaired += part.repaired;
    report.differing.push(...part.differing.slice(0, mostDiffering - report.differing.length));
    if (part.report) {
      report.outcomes = part.report.outcomes;
      report.held = part.report.held;
      return;
    }
    for (const name of Object.keys(report.outcomes) as (keyof DriftOutcomes)[]) {
      report.outcomes[name] += part.outcomes[name];
    }
  }
}

/** The tenant as it is sent. */
function toLine(tenant: TenantState, begun: Date): string {
  const { code, sequence, features, at = begun } = tenant;
  if (sequence === undefined || !features) {
    throw new TypeError(`tenant ${JSON.stringify(code)} has no sequence or no features: give both, or give the reporter sequences and features`);
  }
  const sent = features.map((f) => ({ code: f.code, value: f.value ?? "", quantity: f.quantity ?? null }));
  return `${JSON.stringify({ code, sequence, at, features: sent })}\n`;
}
