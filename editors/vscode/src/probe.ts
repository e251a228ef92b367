// Asks a program whether it is a parspec with a language server, by running it.

import { execFile } from "node:child_process";
import type { Program, Verdict } from "./discovery";

const PATIENCE = 20_000; // milliseconds: the first start of a fresh copy compiles it

/** Whether `program` answers as a parspec that has the command `lsp`. Never throws. */
export async function probe(program: Program): Promise<Verdict> {
  const version = await output(program, ["--version"]);
  if (!version.works) return version;
  const name = /^parspec (\S.*)/.exec(version.version);
  if (name?.[1] === undefined) {
    return { works: false, reason: `--version says "${firstLine(version.version)}"` };
  }
  const server = await output(program, ["lsp", "--help"]);
  return server.works
    ? { works: true, version: name[1] }
    : { works: false, reason: `parspec ${name[1]} has no language server: ${server.reason}` };
}

function output(program: Program, words: readonly string[]): Promise<Verdict> {
  return new Promise((resolve) => {
    execFile(
      program.command,
      [...program.prefix, ...words],
      { timeout: PATIENCE, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve({ works: true, version: stdout.trim() });
        else resolve({ works: false, reason: firstLine(stderr) || firstLine(error.message) });
      },
    );
  });
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? "";
}
