// The report page of a file, or of one of its plans, in a panel beside the text. It follows the
// text: a change or a save asks the server again.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import type { Server } from "./server";

export const REPORT = "parspec.report"; // the server's command

const PLANS = "parspec.plans"; // the server's command

const PAUSE = 400; // milliseconds without typing before the page is made anew

interface Report {
  readonly title: string;
  readonly html: string;
}

export class Reports implements vscode.Disposable {
  private readonly open = new Map<string, Panel>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document.languageId === "par") this.refreshAll();
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.languageId === "par") this.refreshAll();
      }),
      server.onChange(({ state }) => {
        if (state === "running") this.refreshAll();
      }),
    ];
  }

  /** Shows the report of `uri` (of its plan, if one is named) beside the active editor. */
  async show(uri: string, plan: string | null): Promise<void> {
    const key = `${uri}#${plan ?? ""}`;
    const shown = this.open.get(key);
    if (shown !== undefined) {
      shown.reveal();
      return;
    }
    let why = "there is no report of this file";
    const report = await this.ask(uri, plan).catch((trouble: unknown) => {
      why = trouble instanceof Error ? trouble.message : String(trouble);
      return undefined;
    });
    if (report === undefined) {
      void vscode.window.showWarningMessage(`parspec: ${why}`);
      return;
    }
    const panel = new Panel(
      report,
      () => this.ask(uri, plan),
      () => this.open.delete(key),
    );
    this.open.set(key, panel);
  }

  /** Shows the report that belongs to the cursor's place; where several may be meant, asks. */
  async showAtCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const client = this.server.running;
    if (editor?.document.languageId !== "par" || client === undefined) return;
    const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
    const commands = client.initializeResult?.capabilities.executeCommandProvider?.commands;
    if (commands?.includes(PLANS) !== true) return this.show(uri, null);
    const { line, character } = editor.selection.active;
    const plans: (string | null)[] | null = await client.sendRequest(ExecuteCommandRequest.type, {
      command: PLANS,
      arguments: [uri, line, character],
    });
    const names = (plans ?? []).filter((plan) => plan !== null);
    const plan =
      names.length > 1
        ? await vscode.window.showQuickPick(names, { placeHolder: "The plan to report on" })
        : (names[0] ?? null);
    if (plan !== undefined) await this.show(uri, plan);
  }

  dispose(): void {
    for (const panel of [...this.open.values()]) panel.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private refreshAll(): void {
    // A change in a model changes the reports of the files that import it.
    for (const panel of this.open.values()) panel.refreshSoon();
  }

  private async ask(uri: string, plan: string | null): Promise<Report | undefined> {
    const answer: Report | null | undefined = await this.server.running?.sendRequest(
      ExecuteCommandRequest.type,
      { command: REPORT, arguments: [uri, plan] },
    );
    return answer ?? undefined;
  }
}

class Panel {
  private readonly panel: vscode.WebviewPanel;
  private timer: NodeJS.Timeout | undefined;
  private html = "";

  constructor(
    report: Report,
    private readonly ask: () => Promise<Report | undefined>,
    onClose: () => void,
  ) {
    this.panel = vscode.window.createWebviewPanel(
      "parspec.report",
      titled(report),
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], enableFindWidget: true },
    );
    this.panel.onDidDispose(() => {
      clearTimeout(this.timer);
      onClose();
    });
    this.put(report);
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
    this.refreshSoon();
  }

  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE);
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async refresh(): Promise<void> {
    const report = await this.ask().catch(() => undefined); // the last page stays
    if (report !== undefined) this.put(report);
  }

  private put(report: Report): void {
    if (report.html === this.html) return;
    this.html = report.html;
    this.panel.title = titled(report);
    this.panel.webview.html = report.html; // with a content security policy of its own
  }
}

function titled(report: Report): string {
  return `Report: ${report.title}`;
}
