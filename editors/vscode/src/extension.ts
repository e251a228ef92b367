// Wires the extension: one server, its report panels, explanations and status item, the commands.

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { closedUntitled, withoutProblems } from "./closed";
import { debugInformation } from "./debug";
import { EXPLAIN, Explanations } from "./explanations";
import { REPORT, Reports } from "./report";
import { Server } from "./server";
import { Status } from "./status";
import { onInterpreterChange } from "./surroundings";

const SETTLED = 500; // milliseconds after the last change of a server setting

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("parspec", { log: true });
  const middleware: Middleware = {
    // The server's commands that answer with something to look at, wherever they are clicked.
    executeCommand: (command, words: unknown[], next) => {
      if (command === REPORT) return reports.show(String(words[0]), text(words[1]));
      if (command === EXPLAIN) return explanations.show(String(words[0]));
      return next(command, words);
    },
    provideWorkspaceDiagnostics: (known, token, tell, next) => {
      tell({ items: closedUntitled().map(withoutProblems) });
      return next(known, token, tell);
    },
  };
  const started = new Server(context, log, middleware);
  const reports = new Reports(started);
  const explanations = new Explanations(started);
  server = started;

  let restarting: NodeJS.Timeout | undefined;
  const commands: Record<string, () => unknown> = {
    "parspec.restart": () => started.restart(),
    "parspec.showLogs": () => log.show(),
    "parspec.showReport": () => reports.showAtCursor(),
    "parspec.explainWord": () => explanations.ask(),
    "parspec.copyDebugInformation": async () => {
      await vscode.env.clipboard.writeText(debugInformation(context, started.condition));
      void vscode.window.showInformationMessage("Debug information is in the clipboard.");
    },
  };
  context.subscriptions.push(
    log,
    started,
    reports,
    explanations,
    new Status(started),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration("parspec.server")) return;
      clearTimeout(restarting); // the client first tells the server that runs
      restarting = setTimeout(() => void started.restart(), SETTLED);
    }),
    await onInterpreterChange(() => void started.restart()),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
