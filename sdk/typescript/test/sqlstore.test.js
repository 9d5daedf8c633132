import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, test } from "node:test";

import { SqlStore } from "tenantry/webhook";

const database = process.env.TENANTRY_TEST_DATABASE; // a PostgreSQL of the test's own
const psql = process.env.TENANTRY_TEST_PSQL;

/** A connection to PostgreSQL: statements go through the psql of its installation, so that nothing need be installed. */
class Connection {
  #process = spawn(psql, ["-qAX", "-F", "\t", "-P", "footer=off", database], { stdio: ["pipe", "pipe", "ignore"] });
  #text = "";
  #waiting;

  constructor() {
    this.#process.stdout.setEncoding("utf8").on("data", (part) => {
      this.#text += part;
      const end = /^\|(true|false)\n/m.exec(this.#text);
      if (end) {
        const lines = this.#text.slice(0, end.index).split("\n").slice(0, -1);
        this.#text = this.#text.slice(end.index + end[0].length);
        this.#waiting({ lines, failed: end[1] === "true" });
      }
    });
  }

  async query(text, values = []) {
    const whole = text.replace(/\$(\d+)/g, (_, n) => (typeof values[n - 1] === "number" ? values[n - 1] : `'${values[n - 1]}'`));
    const { lines, failed } = await new Promise((resolve) => {
      this.#waiting = resolve;
      this.#process.stdin.write(`${whole};\n\\echo '|':ERROR\n`);
    });
    if (failed) {
      throw new Error(`PostgreSQL refuses ${whole}`);
    }
    const [names = "", ...rows] = lines;
    return { rows: rows.map((row) => Object.fromEntries(row.split("\t").map((value, i) => [names.split("\t")[i], value]))) };
  }

  end() {
    this.#process.stdin.end();
  }
}

async function inTransaction(work) {
  const connection = new Connection();
  try {
    await connection.query("BEGIN");
    await work(connection);
    await connection.query("COMMIT");
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  } finally {
    connection.end();
  }
}

const one = async (text) => {
  let found;
  await inTransaction(async (tx) => void (found = (await tx.query(text)).rows[0]));
  return found;
};

test("a table needs a name", () => {
  for (const name of ["", "a b", "x;--", "a.b.c"]) {
    assert.throws(() => new SqlStore(inTransaction, name), /is no name for a table/);
  }
});

describe("in PostgreSQL", { skip: database && psql ? false : "no PostgreSQL: skipped" }, () => {
  const make = async (table) => {
    const store = new SqlStore(inTransaction, table);
    await store.create();
    await store.create(); // it is there already
    return store;
  };

  test("numbers are remembered with what apply writes, or not at all", async () => {
    const store = await make("remembered");
    await one("CREATE TABLE seats (tenant_id BIGINT, quantity BIGINT)");
    await store.update(7, async (last) => {
      assert.equal(last, 0);
      await store.transaction.query("INSERT INTO seats VALUES ($1, $2)", [7, 5]);
      return 3;
    });
    assert.equal(store.transaction, undefined);
    await assert.rejects(
      store.update(7, async (last) => {
        assert.equal(last, 3);
        await store.transaction.query("UPDATE seats SET quantity = $1", [9]);
        throw new Error("failed");
      }),
      /failed/,
    );
    assert.deepEqual(await one("SELECT quantity, (SELECT sequence FROM remembered WHERE tenant_id = 7) AS sequence FROM seats"), { quantity: "5", sequence: "3" });
  });

  test("one change of a tenant at a time, also of a new one", async () => {
    const store = await make("turns");
    let under = 0;
    const seen = [];
    await Promise.all(
      Array.from({ length: 6 }, () =>
        store.update(1, async (last) => {
          assert.equal(++under, 1);
          seen.push(last);
          await store.transaction.query("SELECT 1");
          under--;
          return last + 1;
        }),
      ),
    );
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  });
});
