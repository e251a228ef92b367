// Explanations of diagnostic codes, primitives and words, as Markdown previews beside the text.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import type { Server } from "./server";

export const EXPLAIN = "parspec.explain"; // the server's command

const SCHEME = "parspec";

interface Explained {
  readonly title: string;
  readonly markdown: string;
}

export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;

  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Explains `word` beside the text. */
  async show(word: string): Promise<void> {
    const answer: Explained | null | undefined = await this.server.running?.sendRequest(
      ExecuteCommandRequest.type,
      { command: EXPLAIN, arguments: [word] },
    );
    if (answer === null || answer === undefined) {
      void vscode.window.showInformationMessage(`parspec has no explanation of ${word}.`);
      return;
    }
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${answer.title}` });
    this.texts.set(uri.path, answer.markdown);
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  /** Asks for a word, proposing what stands at the cursor, and explains it. */
  async ask(): Promise<void> {
    const word = await vscode.window.showInputBox({
      prompt: "A diagnostic code, a primitive, a strategy, a setting, any word of the language",
      value: atCursor(vscode.window.activeTextEditor),
    });
    if (word !== undefined && word.trim() !== "") await this.show(word.trim());
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

/** The code of the diagnostic at the cursor, or else the word there. */
function atCursor(editor: vscode.TextEditor | undefined): string {
  if (editor === undefined || editor.document.languageId !== "par") return "";
  const { document, selection } = editor;
  const diagnostic = vscode.languages
    .getDiagnostics(document.uri)
    .find(({ range }) => range.contains(selection.active));
  const code = diagnostic?.code;
  if (typeof code === "string") return code;
  if (typeof code === "object") return String(code.value);
  const range = document.getWordRangeAtPosition(selection.active);
  return range === undefined ? "" : document.getText(range);
}
