import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  assert.deepEqual(files, ["LICENSE", "README.md", "package.json", "webhook/package.json", ...built].sort());
});

test("the package depends on nothing, and its entries exist", () => {
  const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  for (const entry of Object.values(manifest.exports).flatMap(Object.values)) {
    assert.ok(existsSync(new URL(entry, root)), entry);
  }
  // Tools from before exports go by main and types, of the package and of a folder for each further entry.
  for (const [entry, { types, default: main }] of Object.entries(manifest.exports)) {
    const folder = new URL(`${entry}/`, root);
    const old = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
    assert.equal(new URL(old.main, folder).href, new URL(main, root).href, entry);
    assert.equal(new URL(old.types, folder).href, new URL(types, root).href, entry);
  }
});

// An application that has installed the package.
function inApplication(work) {
  const folder = mkdtempSync(join(tmpdir(), "tenantry-package-"));
  try {
    const name = npm(root, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder).trim();
    writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
    npm(folder, "install", "--offline", "--no-audit", "--no-fund", `./${name}`);
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the package can be installed and imported", () => {
  inApplication((folder) => {
    const script = 'import { Tenantry } from "tenantry"; import { WebhookHandler } from "tenantry/webhook"; console.log(Tenantry.name, WebhookHandler.name);';
    writeFileSync(join(folder, "main.js"), script);
    assert.equal(execFileSync(process.execPath, ["main.js"], { cwd: folder }).toString(), "Tenantry WebhookHandler\n");
  });
});

test("its types are found however modules are resolved", () => {
  inApplication((folder) => {
    copyFileSync(new URL("test/usage.ts", root), join(folder, "usage.ts"));
    const tsc = new URL("node_modules/typescript/bin/tsc", root).pathname;
    const typeRoots = new URL("node_modules/@types", root).pathname;
    for (const [moduleResolution, module] of [["node10", "esnext"], ["node16", "node16"], ["bundler", "esnext"]]) {
      const options = { module, moduleResolution, target: "es2022", lib: ["es2023"], strict: true, noEmit: true, skipLibCheck: true, types: ["node"], typeRoots: [typeRoots] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["usage.ts"] }));
      const outcome = spawnSync(process.execPath, [tsc, "--project", "."], { cwd: folder });
      assert.equal(outcome.status, 0, `${moduleResolution}: ${outcome.stdout}`);
    }
  });
});
