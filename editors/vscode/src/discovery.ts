// Which language server to start. Pure: what is known of the machine comes in, an ordered plan of
// what to try comes out; `discover` walks it with a probe and tells the log about every step.
//
// Order: the setting, the selected interpreter's environment, VIRTUAL_ENV, the workspace's virtual
// environments, PATH, and last the copy that the extension carries, run by the first Python that is
// new enough. A workspace that is not trusted has no program of its own started.

import * as path from "node:path";

/** What discovery knows of the machine, the workspace and the settings. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The folders of PATH, in order. */
  readonly searchPath: readonly string[];
  readonly virtualEnv: string | undefined;
  readonly workspaceFolders: readonly string[];
  readonly trust: "trusted" | "untrusted";
  /** `parspec.server.path`, "" when unset. */
  readonly serverPath: string;
  /** `parspec.server.python`, "" when unset. */
  readonly serverPython: string;
  /** The Python that is selected in the Python extension. */
  readonly interpreter: string | undefined;
  /** The launcher of the copy that the extension carries. */
  readonly launcher: string;
  readonly isFile: (path: string) => boolean;
}

/** How a `parspec` is started; its own arguments follow `prefix`. */
export interface Program {
  readonly command: string;
  readonly prefix: readonly string[];
}

/** One place to look: programs found there, or why there are none. */
export interface Step {
  readonly origin: string;
  readonly programs: readonly Program[];
  readonly absent: string;
}

export type Verdict =
  | { readonly works: true; readonly version: string }
  | { readonly works: false; readonly reason: string };

export interface Found {
  readonly origin: string;
  readonly program: Program;
  readonly version: string;
}

/** A program as it would be typed. */
export function shown(program: Program): string {
  return [program.command, ...program.prefix].join(" ");
}

/** The places to look, in order. */
export function plan(around: Surroundings): Step[] {
  return [
    fromSetting(around),
    inEnvironment(around, "selected interpreter", interpreterFolder(around)),
    inEnvironment(around, "VIRTUAL_ENV", binaries(around, around.virtualEnv)),
    ...inWorkspace(around),
    onPath(around),
    bundled(around),
  ];
}

/** The first program of the plan that works. Every step is told to `log`, in one line or more. */
export async function discover(
  steps: readonly Step[],
  probe: (program: Program) => Promise<Verdict>,
  log: (line: string) => void,
): Promise<Found | undefined> {
  for (const step of steps) {
    if (step.programs.length === 0) log(`${step.origin}: ${step.absent}`);
    for (const program of step.programs) {
      const verdict = await probe(program);
      if (verdict.works) {
        log(`${step.origin}: ${shown(program)} is parspec ${verdict.version}, used`);
        return { origin: step.origin, program, version: verdict.version };
      }
      log(`${step.origin}: ${shown(program)} does not work: ${verdict.reason}`);
    }
  }
  return undefined;
}

function fromSetting(around: Surroundings): Step {
  const origin = "setting parspec.server.path";
  if (around.serverPath === "") return { origin, programs: [], absent: "not set" };
  const found = resolved(around, around.serverPath);
  return found.length > 0
    ? { origin, programs: found.slice(0, 1).map(alone), absent: "" }
    : { origin, programs: [], absent: `there is no ${around.serverPath}` };
}

function inEnvironment(around: Surroundings, origin: string, folder: string | undefined): Step {
  if (folder === undefined) return { origin, programs: [], absent: "none" };
  if (outOfBounds(around, folder)) {
    return { origin, programs: [], absent: `${folder} lies in a workspace that is not trusted` };
  }
  const found = executable(around, folder, "parspec");
  return found === undefined
    ? { origin, programs: [], absent: `no parspec in ${folder}` }
    : { origin, programs: [alone(found)], absent: "" };
}

function inWorkspace(around: Surroundings): Step[] {
  return around.workspaceFolders.flatMap((folder) =>
    ENVIRONMENTS.map((name) => {
      const environment = joined(around, folder, name);
      return inEnvironment(around, environment, binaries(around, environment));
    }),
  );
}

function onPath(around: Surroundings): Step {
  const found = anywhere(around, "parspec");
  return {
    origin: "PATH",
    programs: found.map(alone),
    absent: `no parspec in ${around.searchPath.length} folders`,
  };
}

function bundled(around: Surroundings): Step {
  const origin = "copy in the extension";
  if (!around.isFile(around.launcher)) return { origin, programs: [], absent: "not packed" };
  const programs = pythons(around).map((python) => ({
    command: python,
    prefix: [around.launcher],
  }));
  return { origin, programs, absent: "no Python to run it with" };
}

/** Every Python that may run the extension's own copy, each once. */
function pythons(around: Surroundings): string[] {
  const set = around.serverPython === "" ? [] : resolved(around, around.serverPython).slice(0, 1);
  const environments = [
    interpreterFolder(around),
    binaries(around, around.virtualEnv),
    ...around.workspaceFolders.flatMap((folder) =>
      ENVIRONMENTS.map((name) => binaries(around, joined(around, folder, name))),
    ),
  ];
  const inEnvironments = environments.flatMap((folder) =>
    folder === undefined || outOfBounds(around, folder)
      ? []
      : optional(executable(around, folder, "python")),
  );
  const names = around.platform === "win32" ? ["python", "python3", "py"] : PYTHONS;
  const installed = names.flatMap((name) => anywhere(around, name).slice(0, 1));
  return [...new Set([...set, ...inEnvironments, ...installed])];
}

const ENVIRONMENTS = [".venv", "venv"];
const PYTHONS = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];

function interpreterFolder(around: Surroundings): string | undefined {
  return around.interpreter === undefined
    ? undefined
    : pathOf(around.platform).dirname(around.interpreter);
}

/** Where a virtual environment keeps its programs. */
function binaries(around: Surroundings, environment: string | undefined): string | undefined {
  if (environment === undefined || environment === "") return undefined;
  return joined(around, environment, around.platform === "win32" ? "Scripts" : "bin");
}

/** What a setting names: a path, with `~` and `${workspaceFolder}`, or a program on PATH. */
function resolved(around: Surroundings, setting: string): string[] {
  const { sep, isAbsolute } = pathOf(around.platform);
  const texts = setting.includes("${workspaceFolder}")
    ? around.workspaceFolders.map((folder) => setting.replaceAll("${workspaceFolder}", folder))
    : [setting.replace(/^~(?=[\\/])/, around.home)];
  return texts.flatMap((text) => {
    if (isAbsolute(text)) return around.isFile(text) ? [text] : [];
    if (!text.includes(sep) && !text.includes("/")) return anywhere(around, text);
    const inFolders = around.workspaceFolders.map((folder) => joined(around, folder, text));
    return inFolders.filter(around.isFile);
  });
}

function anywhere(around: Surroundings, name: string): string[] {
  const found = around.searchPath.flatMap((folder) => optional(executable(around, folder, name)));
  return [...new Set(found)];
}

function executable(around: Surroundings, folder: string, name: string): string | undefined {
  const endings = around.platform === "win32" && !name.endsWith(".exe") ? [".exe"] : [""];
  return endings.map((ending) => joined(around, folder, name + ending)).find(around.isFile);
}

/** Is `folder` part of a workspace that the user does not trust? */
function outOfBounds(around: Surroundings, folder: string): boolean {
  if (around.trust === "trusted") return false;
  const { relative, isAbsolute } = pathOf(around.platform);
  return around.workspaceFolders.some((workspace) => {
    const way = relative(workspace, folder);
    return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
  });
}

function joined(around: Surroundings, ...parts: string[]): string {
  return pathOf(around.platform).join(...parts);
}

function pathOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

function alone(command: string): Program {
  return { command, prefix: [] };
}

function optional(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}
