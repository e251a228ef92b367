// A program is asked by running it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { probe } from "../../../editors/vscode/src/probe";

function script(code: string): Promise<unknown> {
  return probe({ command: process.execPath, prefix: ["-e", code, "--"] });
}

test("a parspec with a language server works", async () => {
  assert.deepEqual(await script('console.log("parspec 1.2.3")'), {
    works: true,
    version: "1.2.3",
  });
});

test("one without a language server says what it said", async () => {
  const code = `
    if (process.argv.includes("lsp")) { console.error("no command lsp"); process.exit(2); }
    console.log("parspec 0.0.9");`;
  assert.deepEqual(await script(code), {
    works: false,
    reason: "parspec 0.0.9 has no language server: no command lsp",
  });
});

test("another program is no parspec", async () => {
  assert.deepEqual(await script('console.log("v20.1")'), {
    works: false,
    reason: '--version says "v20.1"',
  });
});

test("a program that is not there is an answer", async () => {
  const verdict = await probe({ command: "/nowhere/parspec", prefix: [] });
  assert.equal(verdict.works, false);
});
