import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("..", import.meta.url);

test("the package has what is needed and nothing else", () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const files = JSON.parse(output)[0].files.map((file) => file.path).sort();
  const sources = readdirSync(new URL("src", root)).map((name) => name.replace(/\.ts$/, ""));
  const built = sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  assert.deepEqual(files, ["LICENSE", "README.md", "package.json", ...built].sort());
});

test("the package depends on nothing, and its entries exist", () => {
  const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  for (const entry of Object.values(manifest.exports).flatMap(Object.values)) {
    assert.ok(existsSync(new URL(entry, root)), entry);
  }
});
