// Explanations of diagnostic codes, primitives and words, as Markdown previews beside the text.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import type { Server } from "./server";

export const EXPLAIN = "parspec.explain"; // the server's command

const WORDS = "parspec.words"; // the server's command that lists what can be explained
const SCHEME = "parspec";

/** A word with its kind and its explanation in one line; `names` lead to it, in lower case. */
interface Word {
  readonly title: string;
  readonly kind: string;
  readonly text: string;
  readonly names: readonly string[];
}

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

  /** Lets one pick a word, what stands at the cursor first, and explains it. */
  async ask(): Promise<void> {
    const here = atCursor(vscode.window.activeTextEditor);
    const word = await picked(choices(await this.words(), here));
    if (word !== undefined && word !== "") await this.show(word);
  }

  private async words(): Promise<readonly Word[]> {
    const answer: readonly Word[] | null | undefined = await this.server.running?.sendRequest(
      ExecuteCommandRequest.type,
      { command: WORDS, arguments: [] },
    );
    return answer ?? [];
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

/** All words by kind; those that are meant at the cursor come first. */
function choices(words: readonly Word[], here: string): vscode.QuickPickItem[] {
  const asked = here.toLowerCase();
  const meant = asked === "" ? [] : words.filter(({ names }) => names.includes(asked));
  const items = meant.length > 0 ? [separator("at the cursor"), ...meant.map(item)] : [];
  let kind: string | undefined;
  for (const word of words) {
    if (word.kind !== kind) items.push(separator(word.kind));
    kind = word.kind;
    items.push(item(word));
  }
  return items;
}

function separator(label: string): vscode.QuickPickItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function item({ title, text }: Word): vscode.QuickPickItem {
  return { label: title, detail: text };
}

/** The word that is picked; what was typed where that is none of them. */
async function picked(items: readonly vscode.QuickPickItem[]): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick();
  pick.items = items;
  pick.matchOnDetail = true;
  pick.placeholder =
    "A diagnostic code, a primitive, a strategy, a setting, any word of the language";
  try {
    return await new Promise<string | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.label ?? pick.value.trim()));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
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
