// Reads what discovery needs to know from VS Code, the Python extension, the process and the disk.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import type { Surroundings } from "./discovery";

/** The part of the Python extension's interface that is used here. */
interface PythonEnvironments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  resolveEnvironment(environment: {
    readonly path: string;
  }): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

export async function surroundings(context: vscode.ExtensionContext): Promise<Surroundings> {
  const server = vscode.workspace.getConfiguration("parspec.server");
  return {
    platform: process.platform,
    home: homedir(),
    searchPath: (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""),
    virtualEnv: process.env["VIRTUAL_ENV"],
    workspaceFolders: folders(),
    trust: vscode.workspace.isTrusted ? "trusted" : "untrusted",
    serverPath: server.get("path", ""),
    serverPython: server.get("python", ""),
    interpreter: await selectedInterpreter(),
    launcher: join(context.extensionPath, "bundled", "launch.py"),
    isFile,
  };
}

/** Calls `react` when another interpreter is selected in the Python extension, if that is there. */
export async function onInterpreterChange(react: () => void): Promise<vscode.Disposable> {
  const environments = await pythonEnvironments();
  return environments?.onDidChangeActiveEnvironmentPath(react) ?? new vscode.Disposable(() => {});
}

async function selectedInterpreter(): Promise<string | undefined> {
  const environments = await pythonEnvironments();
  if (environments === undefined) return undefined;
  const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const environment = await environments.resolveEnvironment(active);
  return environment?.executable.uri?.fsPath;
}

async function pythonEnvironments(): Promise<PythonEnvironments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: PythonEnvironments }>(
    "ms-python.python",
  );
  if (extension === undefined) return undefined;
  try {
    return (await extension.activate()).environments;
  } catch {
    return undefined; // an extension that fails to start has no interpreter for us
  }
}

function folders(): string[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
