// Which server is found on which machine: plans are data, so a machine is a list of files.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  discover,
  plan,
  shown,
  type Program,
  type Surroundings,
  type Verdict,
} from "../../../editors/vscode/src/discovery";

const LAUNCHER = "/extension/bundled/launch.py";

function machine(
  files: readonly string[],
  known: Partial<Surroundings> = {},
): Surroundings {
  const there = new Set(files);
  return {
    platform: "linux",
    home: "/home/ada",
    searchPath: ["/usr/local/bin", "/usr/bin"],
    virtualEnv: undefined,
    workspaceFolders: ["/repo/models"],
    trust: "trusted",
    serverPath: "",
    serverPython: "",
    interpreter: undefined,
    launcher: LAUNCHER,
    isFile: (path) => there.has(path),
    ...known,
  };
}

function tried(around: Surroundings): string[] {
  return plan(around).flatMap(({ origin, programs }) =>
    programs.map((program) => `${origin}: ${shown(program)}`),
  );
}

test("a bare machine has nowhere to look", () => {
  assert.deepEqual(tried(machine([])), []);
});

test("places are tried in order, the copy in the extension last", () => {
  const around = machine(
    [
      "/opt/parspec/bin/parspec",
      "/envs/nn/bin/parspec",
      "/envs/active/bin/parspec",
      "/repo/models/.venv/bin/parspec",
      "/usr/bin/parspec",
      "/usr/bin/python3",
      LAUNCHER,
    ],
    {
      serverPath: "/opt/parspec/bin/parspec",
      interpreter: "/envs/nn/bin/python",
      virtualEnv: "/envs/active",
    },
  );
  assert.deepEqual(tried(around), [
    "setting parspec.server.path: /opt/parspec/bin/parspec",
    "selected interpreter: /envs/nn/bin/parspec",
    "VIRTUAL_ENV: /envs/active/bin/parspec",
    "/repo/models/.venv: /repo/models/.venv/bin/parspec",
    "PATH: /usr/bin/parspec",
    `copy in the extension: /usr/bin/python3 ${LAUNCHER}`,
  ]);
});

test("the setting may start at home, in the workspace, or be a name on PATH", () => {
  const files = [
    "/home/ada/bin/parspec",
    "/repo/models/tools/parspec",
    "/usr/bin/parspec-next",
  ];
  const first = (serverPath: string) =>
    tried(machine(files, { serverPath }))[0];
  assert.equal(
    first("~/bin/parspec"),
    "setting parspec.server.path: /home/ada/bin/parspec",
  );
  assert.equal(
    first("${workspaceFolder}/tools/parspec"),
    "setting parspec.server.path: /repo/models/tools/parspec",
  );
  assert.equal(
    first("tools/parspec"),
    "setting parspec.server.path: /repo/models/tools/parspec",
  );
  assert.equal(
    first("parspec-next"),
    "setting parspec.server.path: /usr/bin/parspec-next",
  );
  assert.equal(first("/nowhere/parspec"), undefined);
});

test("every Python runs the copy in the extension once, environments before PATH", () => {
  const around = machine(
    [
      "/opt/python3.12",
      "/envs/nn/bin/python",
      "/repo/models/venv/bin/python",
      "/usr/bin/python3",
      "/usr/bin/python3.11",
      "/usr/local/bin/python3",
      LAUNCHER,
    ],
    { serverPython: "/opt/python3.12", interpreter: "/envs/nn/bin/python3" },
  );
  const pythons = plan(around)
    .at(-1)
    ?.programs.map(({ command }) => command);
  assert.deepEqual(pythons, [
    "/opt/python3.12",
    "/envs/nn/bin/python",
    "/repo/models/venv/bin/python",
    "/usr/local/bin/python3",
    "/usr/bin/python3.11",
  ]);
});

test("a workspace that is not trusted has none of its programs started", () => {
  const files = [
    "/repo/models/.venv/bin/parspec",
    "/repo/models/.venv/bin/python",
    "/usr/bin/python3",
    LAUNCHER,
  ];
  const around = machine(files, {
    trust: "untrusted",
    interpreter: "/repo/models/.venv/bin/python",
    virtualEnv: "/repo/models/.venv",
  });
  assert.deepEqual(tried(around), [
    `copy in the extension: /usr/bin/python3 ${LAUNCHER}`,
  ]);
  assert.match(plan(around)[1]?.absent ?? "", /not trusted/);
});

test("an environment beside an untrusted workspace is used", () => {
  const around = machine(["/repo/models-env/bin/parspec"], {
    trust: "untrusted",
    virtualEnv: "/repo/models-env",
  });
  assert.deepEqual(tried(around), [
    "VIRTUAL_ENV: /repo/models-env/bin/parspec",
  ]);
});

test("Windows keeps programs in Scripts, with an ending", () => {
  const files = [
    "C:\\models\\.venv\\Scripts\\parspec.exe",
    "C:\\models\\.venv\\Scripts\\python.exe",
    "C:\\Windows\\py.exe",
    "C:\\extension\\launch.py",
  ];
  const around = machine(files, {
    platform: "win32",
    workspaceFolders: ["C:\\models"],
    searchPath: ["C:\\Windows"],
    launcher: "C:\\extension\\launch.py",
  });
  assert.deepEqual(tried(around), [
    "C:\\models\\.venv: C:\\models\\.venv\\Scripts\\parspec.exe",
    "copy in the extension: C:\\models\\.venv\\Scripts\\python.exe C:\\extension\\launch.py",
    "copy in the extension: C:\\Windows\\py.exe C:\\extension\\launch.py",
  ]);
});

test("the first that works is used, and the log tells every step", async () => {
  const around = machine(
    ["/envs/old/bin/parspec", "/usr/bin/parspec", "/usr/bin/python3"],
    {
      virtualEnv: "/envs/old",
    },
  );
  const lines: string[] = [];
  const probe = (program: Program): Promise<Verdict> =>
    Promise.resolve(
      program.command === "/usr/bin/parspec"
        ? { works: true, version: "0.1.0" }
        : { works: false, reason: "no language server" },
    );
  const found = await discover(plan(around), probe, (line) => lines.push(line));
  assert.equal(found?.program.command, "/usr/bin/parspec");
  assert.equal(found?.origin, "PATH");
  assert.deepEqual(lines, [
    "setting parspec.server.path: not set",
    "selected interpreter: none",
    "VIRTUAL_ENV: /envs/old/bin/parspec does not work: no language server",
    "/repo/models/.venv: no parspec in /repo/models/.venv/bin",
    "/repo/models/venv: no parspec in /repo/models/venv/bin",
    "PATH: /usr/bin/parspec is parspec 0.1.0, used",
  ]);
});

test("nothing is found where nothing works", async () => {
  const around = machine(["/usr/bin/python3", LAUNCHER]);
  const lines: string[] = [];
  const probe = (): Promise<Verdict> =>
    Promise.resolve({ works: false, reason: "Python 3.9 is too old" });
  assert.equal(
    await discover(plan(around), probe, (line) => lines.push(line)),
    undefined,
  );
  assert.equal(
    lines.at(-1),
    `copy in the extension: /usr/bin/python3 ${LAUNCHER} does not work: Python 3.9 is too old`,
  );
});
