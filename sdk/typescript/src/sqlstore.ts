import { AsyncLocalStorage } from "node:async_hooks";

import type { SequenceStore } from "./sequence.js";

/** A transaction of your database, such as a client of the package pg. */
export interface SqlTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/**
 * A store in a table of your own database, PostgreSQL or SQLite (3.35 or newer), shared by all your processes. apply runs
 * inside its transaction, which it gets with {@link SqlStore.transaction}: what it writes there is committed together with
 * the number, or not at all.
 *
 * ```ts
 * const store = new SqlStore(async (work) => {
 *   const client = await pool.connect();
 *   try {
 *     await client.query("BEGIN");
 *     const result = await work(client);
 *     await client.query("COMMIT");
 *     return result;
 *   } catch (error) {
 *     await client.query("ROLLBACK");
 *     throw error;
 *   } finally {
 *     client.release();
 *   }
 * });
 * ```
 */
export class SqlStore<T extends SqlTransaction = SqlTransaction> implements SequenceStore {
  readonly #inTransaction: (work: (tx: T) => Promise<void>) => Promise<void>;
  readonly #table: string;
  readonly #current = new AsyncLocalStorage<T>();

  /** inTransaction calls work within a transaction, commits it, and takes it back if work fails. */
  constructor(inTransaction: (work: (tx: T) => Promise<void>) => Promise<void>, table = "tenantry_tenant") {
    if (!/^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/.test(table)) {
      throw new TypeError(`${JSON.stringify(table)} is no name for a table: use letters, digits and underscores`);
    }
    this.#inTransaction = inTransaction;
    this.#table = table;
  }

  /** Makes the table if it is missing. */
  async create(): Promise<void> {
    await this.#inTransaction(async (tx) => {
      await tx.query(`CREATE TABLE IF NOT EXISTS ${this.#table} (tenant_id BIGINT NOT NULL PRIMARY KEY, sequence BIGINT NOT NULL)`, []);
    });
  }

  /** The transaction that apply runs in; undefined outside of it. Do not end it. */
  get transaction(): T | undefined {
    return this.#current.getStore();
  }

  async update(tenant: number, change: (last: number) => Promise<number>): Promise<void> {
    await this.#inTransaction(async (tx) => {
      // Writing the row locks it, also when it is new, and shows its latest state.
      const { rows } = await tx.query(
        `INSERT INTO ${this.#table} AS known (tenant_id, sequence) VALUES ($1, 0)
          ON CONFLICT (tenant_id) DO UPDATE SET sequence = known.sequence RETURNING sequence`,
        [tenant],
      );
      const last = Number(rows[0]?.["sequence"]);
      const next = await this.#current.run(tx, () => change(last));
      if (next !== last) {
        await tx.query(`UPDATE ${this.#table} SET sequence = $1 WHERE tenant_id = $2`, [next, tenant]);
      }
    });
  }
}
