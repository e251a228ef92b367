"""What the server asks a client to tell it, once it runs."""

from __future__ import annotations

from lsprotocol import types

from parspec.lsp.settings import SECTION


def watching() -> types.RegistrationParams:
    """Changes of spec files that are made outside the editor."""
    watchers = [types.FileSystemWatcher("**/*.par")]
    return types.RegistrationParams(
        [
            types.Registration(
                "parspec/files",
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
        ]
    )


def configuring() -> types.RegistrationParams:
    """Changes of the settings."""
    return types.RegistrationParams(
        [
            types.Registration(
                "parspec/settings",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(SECTION),
            )
        ]
    )
