import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const root = new URL("..", import.meta.url);

const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, stdio: ["ignore", "pipe", "ignore"] }).toString();

test("the package has what is needed and nothing else", () => {
  const output = npm(root, "pack", "--dry-run", "--json", "--ignore-scripts");
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

test("the package can be installed and imported", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenantry-package-"));
  try {
    const name = npm(root, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder).trim();
    writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
    npm(folder, "install", "--offline", "--no-audit", "--no-fund", `./${name}`);
    const script = 'import { Tenantry } from "tenantry"; import { WebhookHandler } from "tenantry/webhook"; console.log(Tenantry.name, WebhookHandler.name);';
    writeFileSync(join(folder, "main.js"), script);
    assert.equal(execFileSync(process.execPath, ["main.js"], { cwd: folder }).toString(), "Tenantry WebhookHandler\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
