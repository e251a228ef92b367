// Bundles the extension into dist/extension.js; with `test`, the unit tests into dist/test/.
import { build } from "esbuild";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const TESTS = "../../tests/editors/vscode";

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
};

if (process.argv[2] === "test") {
  const names = readdirSync(TESTS).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: names.map((name) => join(TESTS, name)),
    outdir: "dist/test",
  });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
  });
}
