"""The server: messages in, messages out.

One thread talks: it takes messages in the order in which they come, keeps the texts, and never
works for long. Another works. A feature that fails is logged and answered empty. The server ends
when its client says so or is gone, not before.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer

from parspec.lsp.client import Client
from parspec.lsp.convert.changes import changes
from parspec.lsp.convert.publishing import Board, Published
from parspec.lsp.convert.pulling import Pulling, nothing
from parspec.lsp.convert.registrations import configuring, watching
from parspec.lsp.convert.said import check_arguments
from parspec.lsp.greeting import NAME, PARSE_ERROR, own_version, refusal
from parspec.lsp.life import is_alive
from parspec.lsp.progress import Progress
from parspec.lsp.registry import COMMANDS, ROUTES, Route, loaded
from parspec.lsp.schedule import Backlog, Debounced, Ticket, Worker, tell
from parspec.lsp.session import Failed, Session
from parspec.lsp.settings import SECTION, complaints, settings
from parspec.lsp.wire import Garbled, Wire

T = TypeVar("T")

_LOG = logging.getLogger("parspec")
logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs what is reported here again
_INVALID_REQUEST = -32600
_NONE_OF_IT = "the message is none of the protocol"
_INVALID_PARAMS = -32602
_SELDOM = (
    1_000_000,
    20,
    20,
)  # analyses hold many values and no cycles; the worker collects in time
_BACKLOG = 64 * 2**20  # bytes that may wait; as a rule what comes is taken at once
_WATCH = 1.0  # seconds between two looks at whether the client is alive
_LASTING = frozenset(
    (types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_COMPLETION, types.TEXT_DOCUMENT_SIGNATURE_HELP)
)  # what is better answered from an earlier text than not at all
_REFRESHED = {
    "workspace.diagnostics": types.WORKSPACE_DIAGNOSTIC_REFRESH,
    "workspace.inlayHint": types.WORKSPACE_INLAY_HINT_REFRESH,
    "workspace.codeLens": types.WORKSPACE_CODE_LENS_REFRESH,
    "workspace.semanticTokens": types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
}


class Server(LanguageServer):
    """The server of one client that has been greeted. `watched`: the process with which it ends,
    if there is one to be watched."""

    def __init__(self, client: Client, wire: Wire, watched: int | None) -> None:
        super().__init__(NAME, own_version())
        self.session = Session(client, settings(client.options.get("settings")))
        self._wire = wire
        self._watched = watched
        self._orderly = False
        self._board = Board(self.session)
        self._published = Published()
        self._pulling = Pulling(self._board)
        self._edited: set[str] = set()
        self._complained: tuple[str, ...] = ()
        self._unloaded = list(ROUTES)  # until the first diagnostics are out
        self.protocol.set_writer(wire, include_headers=False)
        self._register()

    # -- life ------------------------------------------------------------------------------------

    def run(self, messages: Iterator[bytes]) -> int:
        """Serves the client until it ends, and returns the exit code."""
        gc.freeze()
        gc.set_threshold(*_SELDOM)
        gc.enable()
        return asyncio.run(self._serve(messages))

    async def _serve(self, messages: Iterator[bytes]) -> int:
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = loop.create_future()
        progress = Progress(self.session.client, self.protocol)
        self._worker = Worker(progress.begin, progress.end)
        self._diagnosing = Debounced(self._diagnose)

        backlog = Backlog(_BACKLOG)

        def receive(body: bytes) -> None:
            backlog.taken(len(body))
            self._receive(body)

        def read() -> None:
            try:
                for body in messages:
                    backlog.add(len(body))
                    tell(loop, receive, body)
            except Garbled as error:
                _LOG.error("this is not the protocol: %s", error)
            finally:
                tell(loop, self._end)

        threading.Thread(target=read, name="reader", daemon=True).start()
        if self._watched is None:
            return await self._ended
        async with asyncio.TaskGroup() as both:
            watch = both.create_task(self._watch(self._watched))
            code = await self._ended
            watch.cancel()
        return code

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(0 if self._orderly else 1)

    async def _watch(self, process: int) -> None:
        """Ends the server when the process of its client has ended."""
        while is_alive(process):
            await asyncio.sleep(_WATCH)
        self._end()

    def _receive(self, body: bytes) -> None:
        try:
            message = json.loads(body, object_hook=self.protocol.structure_message)
            if not _is_one(message):
                raise ValueError("it is neither a request nor an answer")
            if self._orderly and hasattr(message, "id") and hasattr(message, "method"):
                self._wire.write(refusal(message.id, _INVALID_REQUEST, "the server is shut down"))
                return
            self.protocol.handle_message(message)
        except Exception as error:  # whatever a client makes of the protocol
            _LOG.error("a message that is not understood: %s", error)
            answer = _refusal(body)
            if answer is not None:
                self._wire.write(answer)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Errors are logged; a client would show them to its user. What is wrong with a message is
        its sender's, anything else is a bug of ours. What is refused is no error: the client has
        been told why."""
        if isinstance(error, JsonRpcException) and error.code == types.LSPErrorCodes.RequestFailed:
            return
        ours = not isinstance(error, JsonRpcException) or isinstance(error, JsonRpcInternalError)
        _LOG.error("%s", error, exc_info=error if ours else None)

    # -- what comes ------------------------------------------------------------------------------

    def _register(self) -> None:
        own: dict[str, Callable[[Any], Any]] = {
            types.INITIALIZE: _initialize,
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shutdown,
            types.EXIT: self._exit,
            types.TEXT_DOCUMENT_DID_OPEN: self._did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._did_change,
            types.TEXT_DOCUMENT_DID_CLOSE: self._did_close,
            types.TEXT_DOCUMENT_DID_SAVE: _nothing,
            types.TEXT_DOCUMENT_DIAGNOSTIC: self._pull,
            types.WORKSPACE_DIAGNOSTIC: self._pull_all,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._files_changed,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._configuration_changed,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._folders_changed,
            types.WORKSPACE_EXECUTE_COMMAND: self._command,
        }
        routes = {route.method: self._answering(route) for route in ROUTES}
        for method, handler in (own | routes).items():
            self.protocol.fm.add_builtin_feature(method, handler)

    async def _initialized(self, _: object) -> None:
        """The client is ready to be asked something itself."""
        can = self.session.client.can
        if can("workspace.didChangeWatchedFiles.dynamicRegistration"):
            await _answered(self.client_register_capability_async(watching()))
        if can("workspace.didChangeConfiguration.dynamicRegistration"):
            await _answered(self.client_register_capability_async(configuring()))
        self._complain(self.session.client.options.get("settings"))
        await self._configure()

    def _shutdown(self, _: object) -> None:
        self._orderly = True

    def _exit(self, _: object) -> None:
        self._end()

    # -- texts -----------------------------------------------------------------------------------

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        new = params.text_document
        self.session.open(new.uri, new.version, new.text)
        self._diagnosing.ask()

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        edited = params.text_document
        self.session.change(edited.uri, edited.version, changes(params.content_changes))
        self._edited.add(self.session.file(edited.uri))
        self._diagnosing.ask()

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self.session.close(params.text_document.uri)
        self._diagnosing.ask()

    def _files_changed(self, _: types.DidChangeWatchedFilesParams) -> None:
        self._changed_outside()

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {folder.uri for folder in params.event.removed}
        self.session.leave(gone)
        self.session.enter(folder.uri for folder in params.event.added)
        self._changed_outside()

    def _changed_outside(self) -> None:
        """Something that the open files may depend on has changed: all that is shown may have."""
        self._diagnosing.ask()
        self._refresh()

    def _refresh(self) -> None:
        """Has the client ask anew for what it shows, where it can be told to."""
        for capability, request in _REFRESHED.items():
            if self.session.client.can(f"{capability}.refreshSupport"):
                self.protocol.send_request(request)

    # -- settings --------------------------------------------------------------------------------

    async def _configuration_changed(self, params: types.DidChangeConfigurationParams) -> None:
        said = params.settings
        if isinstance(said, dict) and SECTION in said:
            self._choose(said[SECTION])
        await self._configure()

    async def _configure(self) -> None:
        """Asks the client for the settings, if it answers that."""
        if not self.session.client.can("workspace.configuration"):
            return
        asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        said = await _answered(self.workspace_configuration_async(asked))
        if said and said[0] is not None:
            self._choose(said[0])

    def _complain(self, said: Any) -> None:
        """Tells the user what settings say wrongly, once for as long as they do."""
        wrong = complaints(said)
        if wrong and wrong != self._complained:
            text = f"These settings are as by default: {'; '.join(wrong)}"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))
        self._complained = wrong

    def _choose(self, said: Any) -> None:
        self._complain(said)
        chosen = settings(said)
        if chosen != self.session.settings:
            self.session.settings = chosen
            self._changed_outside()

    # -- answers ---------------------------------------------------------------------------------

    async def _do(self, work: Callable[[], T]) -> T:
        """The result of a piece of work on the session."""

        return await self._worker.do(partial(self._with_session, work))

    async def _do_aside(self, work: Callable[[], T]) -> T:
        """The same of work that gives way to all other."""
        return await self._worker.do_aside(partial(self._with_session, work))

    def _with_session(self, work: Callable[[], T], ticket: Ticket) -> T:
        self.session.checkpoint = ticket.check
        return work()

    def _answering(self, route: Route) -> Callable[[Any], Awaitable[Any]]:
        do = self._do if route.haste == "pressing" else self._do_aside

        async def answer(params: Any) -> Any:
            try:
                return await do(partial(self._answer, route, params))
            except JsonRpcException:  # what was asked for cannot be; the client is told why
                raise
            except Exception as error:  # a bug of ours; the client goes on without this answer
                if not isinstance(error, Failed):
                    _LOG.exception("%s", route.method)
                return params if route.of == "item" else None

        return answer

    def _answer(self, route: Route, params: Any) -> Any:
        function = loaded(route)
        if route.of != "document":
            return function(self.session, params)
        document = params.item if hasattr(params, "item") else params.text_document
        try:
            view = self.session.view(document.uri)
        except Failed:
            if route.method not in _LASTING:
                raise
            view = self.session.last_view(document.uri)
        return None if view is None else function(view, params)

    async def _command(self, params: types.ExecuteCommandParams) -> Any:
        command = COMMANDS.get(params.command)
        if command is None:
            raise JsonRpcInvalidRequest(f"there is no command {params.command}")

        def work() -> Any:
            function, arguments = loaded(command), params.arguments or ()
            check_arguments(function, arguments)
            return function(self.session, *arguments)

        try:
            return await self._do(work)
        except JsonRpcException:
            raise
        except Exception:  # as above
            _LOG.exception("%s", params.command)
            return None

    # -- diagnostics -----------------------------------------------------------------------------

    async def _diagnose(self) -> None:
        """Sends what has changed to a client that does not ask; one that does is told where more
        may have changed than the files that it edits."""
        edited, self._edited = self._edited, set()
        if self.session.imports(edited):
            self._refresh()
        if not self.session.client.pulls_diagnostics:
            await self._publish()
        if self._unloaded:
            gc.freeze()  # most of what there is by now is to stay
        while self._unloaded:
            await self._do(self._load)

    def _load(self) -> None:
        """Loads ahead of the first request that needs it."""
        route = self._unloaded.pop()
        try:
            loaded(route)
        except ImportError:  # a bug of ours that is worth no more than this feature
            _LOG.exception("%s", route.method)

    async def _publish(self) -> None:
        try:
            current = await self._do(self._board.all)
        except Exception:  # as above
            _LOG.exception("diagnostics")
            return
        for uri, version, items in self._published.news(current):
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, items, version)
            )

    async def _pull(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """What a client asks of one file."""
        uri, before = params.text_document.uri, params.previous_result_id
        try:
            return await self._do(partial(self._pulling.of, uri, before))
        except Exception:  # as above
            _LOG.exception("diagnostics of %s", uri)
            return types.RelatedFullDocumentDiagnosticReport([])

    async def _pull_all(self, params: types.WorkspaceDiagnosticParams) -> Any:
        """What a client asks of all files; other requests do not wait for it."""
        before = {each.uri: each.value for each in params.previous_result_ids}
        try:
            files = await self._do_aside(lambda: list(self.session.files()))
            items = [
                await self._do_aside(partial(self._pulling.of_all, file, before)) for file in files
            ]
        except Exception:  # as above
            _LOG.exception("diagnostics of all files")
            return types.WorkspaceDiagnosticReport([])
        gone = before.keys() - {item.uri for item in items}
        return types.WorkspaceDiagnosticReport([*items, *map(nothing, gone)])


def _refusal(body: bytes) -> bytes | None:
    """The answer to a message that cannot be understood; a notification gets none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return refusal(None, PARSE_ERROR, "the message is not JSON")
    match message:
        case {"jsonrpc": "2.0", "id": int() | str() as number, "method": str()}:
            return refusal(number, _INVALID_PARAMS, "the message is not as its method has it")
        case {"jsonrpc": "2.0", "method": str()} if "id" not in message:
            return None
        case {"id": int() | str() as number, "method": _}:
            return refusal(number, _INVALID_REQUEST, _NONE_OF_IT)
    return refusal(None, _INVALID_REQUEST, _NONE_OF_IT)


def _is_one(message: Any) -> bool:
    """Is something that came a message of the protocol?"""
    return getattr(message, "jsonrpc", None) == "2.0" and isinstance(
        getattr(message, "id", None), int | str | None
    )


async def _answered(question: Awaitable[T]) -> T | None:
    """What the client answers; None where it refuses to."""
    try:
        return await question
    except JsonRpcException as error:
        _LOG.warning("the client refuses: %s", error)
        return None


async def _initialize(_: object) -> None:
    raise JsonRpcInvalidRequest("the server is initialized")


def _nothing(_: object) -> None:
    """What is of no interest."""
