// The status item: what state the server is in, and what the file in front costs.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import { shown } from "./discovery";
import type { Condition, Server } from "./server";

const SUMMARY = "parspec.summary"; // the server's command
const PAUSE = 600; // milliseconds without typing before the figures are asked for again

interface Summary {
  readonly text: string;
  readonly tooltip: string;
}

export class Status implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item = vscode.window.createStatusBarItem("parspec.status", vscode.StatusBarAlignment.Left);
    this.item.name = "parspec";
    this.subscriptions = [
      this.item,
      server.onChange(() => this.show(undefined)),
      vscode.window.onDidChangeActiveTextEditor(() => this.show(undefined)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) this.summarizeSoon();
      }),
    ];
    this.show(undefined);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private show(summary: Summary | undefined): void {
    if (vscode.window.activeTextEditor?.document.languageId !== "par") {
      this.item.hide();
      return;
    }
    const { condition } = this.server;
    this.item.text = text(condition, summary);
    this.item.tooltip = tooltip(condition, summary);
    this.item.command = condition.state === "running" ? "parspec.showReport" : "parspec.showLogs";
    this.item.backgroundColor =
      condition.state === "failed"
        ? new vscode.ThemeColor("statusBarItem.errorBackground")
        : undefined;
    this.item.show();
    if (condition.state === "running" && summary === undefined) this.summarizeSoon();
  }

  private summarizeSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.summarize(), PAUSE);
  }

  private async summarize(): Promise<void> {
    const client = this.server.running;
    const document = vscode.window.activeTextEditor?.document;
    const commands = client?.initializeResult?.capabilities.executeCommandProvider?.commands;
    if (client === undefined || document?.languageId !== "par") return;
    if (commands?.includes(SUMMARY) !== true) return;
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const answer: Summary | null = await client
      .sendRequest(ExecuteCommandRequest.type, { command: SUMMARY, arguments: [uri] })
      .catch(() => null); // the item then shows the server's state alone
    if (answer !== null && document === vscode.window.activeTextEditor?.document) this.show(answer);
  }
}

function text(condition: Condition, summary: Summary | undefined): string {
  switch (condition.state) {
    case "stopped":
      return "$(circle-slash) parspec";
    case "starting":
      return "$(loading~spin) parspec";
    case "failed":
      return "$(error) parspec";
    case "running":
      return summary === undefined ? "$(check) parspec" : `$(graph) ${summary.text}`;
  }
}

function tooltip(condition: Condition, summary: Summary | undefined): vscode.MarkdownString {
  const shownText = new vscode.MarkdownString("", true);
  shownText.isTrusted = true;
  if (summary !== undefined) shownText.appendText(summary.tooltip).appendMarkdown("\n\n---\n\n");
  shownText
    .appendText(explained(condition))
    .appendMarkdown(
      "\n\n[Restart](command:parspec.restart) · [Logs](command:parspec.showLogs) · " +
        "[Copy debug information](command:parspec.copyDebugInformation)",
    );
  return shownText;
}

function explained(condition: Condition): string {
  switch (condition.state) {
    case "stopped":
      return "The language server is stopped.";
    case "starting":
      return "The language server is starting.";
    case "failed":
      return `There is no language server: ${condition.reason}.`;
    case "running": {
      const { version, origin, program } = condition.found;
      return `parspec ${version} (${origin}: ${shown(program)})`;
    }
  }
}
