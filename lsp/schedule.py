"""When work is done: one thread works, the other talks.

Requests are answered in their order, each about the newest text. Work that is put off (diagnostics)
is begun at the first quiet moment, in a storm of edits when that is over, and is given up when the
text moves on. Work about all files gives way to whatever is asked for meanwhile, and is begun
again after that. Every piece of work carries a `Ticket`; the one who works looks at it between
steps.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import Awaitable, Callable
from itertools import count
from math import inf
from queue import Empty, PriorityQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")

MOMENT = 0.003  # seconds in which more may come of what a client sends at once
DEBOUNCE = 0.03  # seconds without an edit after which a storm of them is over
REST = 1.0  # seconds without work after which nobody is kept waiting by what else is to be done
LONG = 0.5  # seconds after which a client is told that work is going on
_PRESSING, _ASIDE = 0, 1  # ranks of jobs
_YOUNG = 1  # what the collector has looked at twice is old


class Backlog:
    """What has come and was not taken yet: whoever adds to more than `limit` has to wait, so that
    a client that sends and does not read waits in the end too."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._less = threading.Condition()

    def add(self, size: int) -> None:
        """Something has come."""
        with self._less:
            self._less.wait_for(lambda: self._size <= self._limit)
            self._size += size

    def taken(self, size: int) -> None:
        """Something was taken."""
        with self._less:
            self._size -= size
            self._less.notify()


class GivenUp(Exception):
    """Work that nobody waits for any more."""


class _GaveWay(GivenUp):
    """Work that is begun again when what has come meanwhile is done."""


class Ticket:
    """Whether somebody still waits for a piece of work."""

    def __init__(self) -> None:
        self._given_up = False

    def give_up(self) -> None:
        """Nobody waits any more."""
        self._given_up = True

    def check(self) -> None:
        """Raises GivenUp where nobody waits any more."""
        if self._given_up:
            raise GivenUp


class _AsideTicket(Ticket):
    """That of work which gives way to other jobs."""

    def __init__(self, jobs: _Jobs) -> None:
        super().__init__()
        self._jobs = jobs

    def check(self) -> None:
        """Raises GivenUp where nobody waits any more, or somebody else does."""
        super().check()
        if self._jobs.pressing:
            raise _GaveWay


class _Job(Generic[T]):
    def __init__(
        self, work: Callable[[Ticket], T], done: asyncio.Future[T], ticket: Ticket
    ) -> None:
        self.work = work
        self.done = done
        self.ticket = ticket


class _Jobs:
    """What is to be done, in order, before what gives way to it."""

    def __init__(self) -> None:
        self._queue: PriorityQueue[tuple[int, int, _Job[Any]]] = PriorityQueue()
        self._numbers = count()

    def put(self, job: _Job[Any]) -> None:
        """One more job."""
        aside = isinstance(job.ticket, _AsideTicket)
        self._queue.put((_ASIDE if aside else _PRESSING, next(self._numbers), job))

    def get(self, timeout: float | None = None) -> _Job[Any]:
        """The next job. Raises Empty where none comes in so many seconds."""
        return self._queue.get(timeout=timeout)[2]

    @property
    def pressing(self) -> bool:
        """Does a job wait that gives way to none?"""
        return any(rank == _PRESSING for rank, _, _ in self._queue.queue[:1])


def tell(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Has a call made in the loop's thread; none, where the loop has ended meanwhile."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)


class Worker:
    """A thread that does one piece of work after the other, and collects garbage when there is none
    for REST seconds. `busy` and `idle` are called in the loop's thread: when work has gone on for
    long, and when it has ended after that."""

    def __init__(self, busy: Callable[[], None], idle: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._jobs = _Jobs()
        self._busy = busy
        self._idle = idle
        threading.Thread(target=self._run, name="worker", daemon=True).start()

    async def do(self, work: Callable[[Ticket], T]) -> T:
        """The result of a piece of work. Cancelling gives it up."""
        return await self._done(work, Ticket())

    async def do_aside(self, work: Callable[[Ticket], T]) -> T:
        """The same of work that gives way: it is begun again after what is asked for meanwhile."""
        return await self._done(work, _AsideTicket(self._jobs))

    async def _done(self, work: Callable[[Ticket], T], ticket: Ticket) -> T:
        job: _Job[T] = _Job(work, self._loop.create_future(), ticket)
        self._jobs.put(job)
        try:
            return await job.done
        except asyncio.CancelledError:
            job.ticket.give_up()
            raise

    def _run(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=REST)
            except Empty:
                gc.collect(_YOUNG)
                job = self._jobs.get()
            self._one(job)

    def _one(self, job: _Job[Any]) -> None:
        watch = _Watch(self._busy, self._idle)
        self._tell(watch.begin, self._loop)
        try:
            job.ticket.check()
            result = job.work(job.ticket)
        except _GaveWay:
            self._jobs.put(job)
        except GivenUp:
            self._tell(_drop, job.done)
        except Exception as error:  # of whatever kind: it belongs to who asked for the work
            self._tell(_fail, job.done, error)
        else:
            self._tell(_finish, job.done, result)
        self._tell(watch.end)

    def _tell(self, call: Callable[..., None], *arguments: Any) -> None:
        tell(self._loop, call, *arguments)


class _Watch:
    """Tells when one piece of work takes long. Used in the loop's thread only."""

    def __init__(self, busy: Callable[[], None], idle: Callable[[], None]) -> None:
        self._busy = busy
        self._idle = idle
        self._timer: asyncio.TimerHandle | None = None
        self._told = False

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(LONG, self._tell)

    def _tell(self) -> None:
        self._told = True
        self._busy()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._told:
            self._idle()


def _finish(done: asyncio.Future[T], result: T) -> None:
    if not done.done():
        done.set_result(result)


def _fail(done: asyncio.Future[Any], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)


def _drop(done: asyncio.Future[Any]) -> None:
    done.cancel()


class Debounced:
    """Work that is put off until it has been left alone for a while since it was asked for: a
    MOMENT, or DEBOUNCE seconds where it is asked for again in less. Asking again gives up what is
    under way."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._asked = -inf

    def ask(self) -> None:
        """Puts the work off, or on."""
        if self._task is not None:
            self._task.cancel()
        loop = asyncio.get_running_loop()
        before, self._asked = self._asked, loop.time()
        delay = MOMENT if self._asked - before > DEBOUNCE else DEBOUNCE
        self._task = loop.create_task(self._later(delay))

    async def _later(self, delay: float) -> None:
        await asyncio.sleep(delay)
        await self._work()
