// Problems of untitled files end with them. The client keeps what it knew of a file that is closed
// until the server tells of it again, which has no more to tell of one that is not on the disk.

import * as vscode from "vscode";
import { vsdiag } from "vscode-languageclient/node";

/** The untitled files that are closed and still have problems of parspec's. */
export function closedUntitled(): vscode.Uri[] {
  const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  return vscode.languages
    .getDiagnostics()
    .filter(([uri, found]) => uri.scheme === "untitled" && found.some(isOurs))
    .map(([uri]) => uri)
    .filter((uri) => !open.has(uri.toString()));
}

/** That a file has no problems. */
export function withoutProblems(uri: vscode.Uri): vsdiag.WorkspaceDocumentDiagnosticReport {
  return { kind: vsdiag.DocumentDiagnosticReportKind.full, uri, version: null, items: [] };
}

function isOurs({ source }: vscode.Diagnostic): boolean {
  return source === "parspec";
}
