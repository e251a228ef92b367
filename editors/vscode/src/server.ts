// The language server's life: found, started, restarted, stopped; and what state it is in.

import * as vscode from "vscode";
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  TransportKind,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import { discover, plan, shown, type Found } from "./discovery";
import { probe } from "./probe";
import { surroundings } from "./surroundings";

export type Condition =
  | { readonly state: "stopped" }
  | { readonly state: "starting" }
  | { readonly state: "running"; readonly found: Found }
  | { readonly state: "failed"; readonly reason: string };

const SELECTOR = [
  { scheme: "file", language: "par" },
  { scheme: "untitled", language: "par" },
];

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private current: Condition = { state: "stopped" };
  private readonly changed = new vscode.EventEmitter<Condition>();

  /** Tells of every new condition. */
  readonly onChange = this.changed.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {}

  get condition(): Condition {
    return this.current;
  }

  /** The client while the server runs. */
  get running(): LanguageClient | undefined {
    return this.current.state === "running" ? this.client : undefined;
  }

  /** Stops what runs and starts anew; calls that overlap wait for one another. */
  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow()).then(() => this.startNow());
    return this.queue;
  }

  stop(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow());
    return this.queue;
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async startNow(): Promise<void> {
    this.become({ state: "starting" });
    const found = await this.find();
    if (found === undefined) {
      this.become({ state: "failed", reason: "no language server found" });
      void this.askForHelp(
        "parspec found no language server. Install Python 3.11 or newer, or run `pip install " +
          "parspec` in the environment that you use.",
      );
      return;
    }
    const client = this.clientOf(found);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Running) this.become({ state: "running", found });
      else if (newState === State.Starting) this.become({ state: "starting" });
      else this.become({ state: "failed", reason: "the language server ended" });
    });
    try {
      await client.start();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error(`${shown(found.program)} did not start: ${reason}`);
      this.become({ state: "failed", reason });
      void this.askForHelp(`parspec's language server did not start: ${reason}`);
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`the language server did not stop in order: ${String(error)}`);
    }
    this.become({ state: "stopped" });
  }

  private async find(): Promise<Found | undefined> {
    const around = await surroundings(this.context);
    this.log.info(`looking for parspec (${around.trust} workspace)`);
    const found = await discover(plan(around), probe, (line) => this.log.info(line));
    if (around.serverPath !== "" && found?.origin !== "setting parspec.server.path") {
      void this.askForHelp(
        `parspec.server.path is ${around.serverPath}, which does not work` +
          (found === undefined ? "." : `; ${shown(found.program)} is used.`),
      );
    }
    return found;
  }

  private clientOf(found: Found): LanguageClient {
    const words: string[] = vscode.workspace
      .getConfiguration("parspec.server")
      .get("arguments", []);
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      synchronize: { configurationSection: "parspec" },
      // Links of the form `command:` in what the server writes are followed here.
      initializationOptions: { commandLinks: true },
      markdown: {
        isTrusted: { enabledCommands: ["parspec.explain", "parspec.report"] },
      },
      middleware: this.middleware,
    };
    const executable = {
      command: found.program.command,
      args: [...found.program.prefix, "lsp", ...words],
      transport: TransportKind.stdio,
    };
    return new LanguageClient("parspec", "parspec", executable, options);
  }

  private become(condition: Condition): void {
    this.current = condition;
    this.changed.fire(condition);
  }

  private async askForHelp(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(
      message,
      "Show Logs",
      "Open Settings",
      "Try Again",
    );
    if (choice === "Show Logs") this.log.show();
    if (choice === "Open Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "parspec.server");
    }
    if (choice === "Try Again") await this.restart();
  }
}
