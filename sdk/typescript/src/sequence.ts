/** Remembers the number of the last change of each tenant. */
export interface SequenceStore {
  /**
   * Calls change with the number that is remembered for a tenant, 0 if there is none, and remembers the one it returns.
   * If change fails, nothing is remembered and the error is thrown. For one tenant, change is never called while another
   * call for it runs, in this process or, if the store is shared, in any.
   */
  update(tenant: number, change: (last: number) => Promise<number>): Promise<void>;
}

/**
 * A store for one process that forgets with it. What is older than the last change before a restart may then be applied
 * once more; the newest state follows it, because Tenantry sends in order.
 */
export class MemoryStore implements SequenceStore {
  readonly #last = new Map<number, number>();
  readonly #turns = new Map<number, Promise<void>>();

  async update(tenant: number, change: (last: number) => Promise<number>): Promise<void> {
    const before = this.#turns.get(tenant) ?? Promise.resolve();
    const mine = before.then(async () => {
      this.#last.set(tenant, await change(this.#last.get(tenant) ?? 0));
    });
    const over = mine.catch(() => {}); // the next one's turn comes either way
    this.#turns.set(tenant, over);
    try {
      await mine;
    } finally {
      if (this.#turns.get(tenant) === over) {
        this.#turns.delete(tenant);
      }
    }
  }
}
