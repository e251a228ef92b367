// What somebody who looks into a problem needs to know, as text for an issue.

import * as vscode from "vscode";
import { shown } from "./discovery";
import type { Condition } from "./server";

/** Versions, the server's state and the settings. */
export function debugInformation(context: vscode.ExtensionContext, condition: Condition): string {
  const extension = context.extension.packageJSON as { readonly version: string };
  const lines = [
    `extension: ${extension.version}`,
    `editor: ${vscode.env.appName} ${vscode.version} (${vscode.env.appHost})`,
    `system: ${process.platform} ${process.arch}, Node ${process.version}`,
    `server: ${stateOf(condition)}`,
    `workspace: ${vscode.workspace.workspaceFolders?.length ?? 0} folders, ` +
      (vscode.workspace.isTrusted ? "trusted" : "not trusted"),
    `settings: ${JSON.stringify(settings())}`,
  ];
  return lines.join("\n");
}

function stateOf(condition: Condition): string {
  switch (condition.state) {
    case "running": {
      const { version, origin, program } = condition.found;
      return `parspec ${version}, ${origin}: ${shown(program)}`;
    }
    case "failed":
      return `failed, ${condition.reason}`;
    default:
      return condition.state;
  }
}

function settings(): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration("parspec");
  const names = [
    "server.path",
    "server.python",
    "server.arguments",
    "inlayHints",
    "codeLens",
    "diagnostics",
    "format",
    "trace.server",
  ];
  return Object.fromEntries(names.map((name) => [name, all.get(name)]));
}
