"""When work is done, and when it is not."""

import asyncio
import threading
import time
import weakref
from functools import partial

import pytest

from parspec.lsp import schedule
from parspec.lsp.schedule import Backlog, Debounced, GivenUp, Ticket, Worker


def run(story):
    """Runs a story that is told of a worker and of what it says."""

    async def whole():
        said = []
        worker = Worker(lambda: said.append("busy"), lambda: said.append("idle"))
        await asyncio.wait_for(story(worker, said), 10)

    asyncio.run(whole())


def test_work_is_done_in_order_in_one_other_thread():
    async def story(worker, _):
        done = []

        def work(number):
            done.append((number, threading.current_thread().name))
            return number

        asked = [worker.do(lambda _, number=number: work(number)) for number in range(5)]
        assert await asyncio.gather(*asked) == [0, 1, 2, 3, 4]
        assert done == [(number, "worker") for number in range(5)]

    run(story)


def test_a_failure_belongs_to_who_asked():
    async def story(worker, _):
        with pytest.raises(ZeroDivisionError):
            await worker.do(lambda _: 1 // 0)
        assert await worker.do(lambda _: 1) == 1

    run(story)


def test_work_that_is_cancelled_before_it_begins_is_not_done():
    async def story(worker, _):
        done, go = [], threading.Event()
        first = asyncio.ensure_future(worker.do(lambda _: go.wait(5)))
        second = asyncio.ensure_future(worker.do(lambda _: done.append("second")))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0)
        go.set()
        assert await first
        with pytest.raises(asyncio.CancelledError):
            await second
        assert await worker.do(lambda _: done) == []

    run(story)


def test_work_that_is_cancelled_on_the_way_ends_at_its_next_step():
    async def story(worker, _):
        steps, begun = [], threading.Event()

        def work(ticket):
            while True:
                ticket.check()
                begun.set()
                steps.append(1)
                time.sleep(0.01)

        task = asyncio.ensure_future(worker.do(work))
        await asyncio.sleep(0.05)
        assert begun.is_set()
        task.cancel()
        assert await worker.do(lambda _: "next") == "next"

    run(story)


def test_work_aside_gives_way_at_its_next_step_and_is_begun_again():
    async def story(worker, _):
        done, begun, asked = [], threading.Event(), threading.Event()

        def aside(ticket):
            done.append("begun")
            begun.set()
            asked.wait(5)
            ticket.check()
            done.append("ended")

        task = asyncio.ensure_future(worker.do_aside(aside))
        await asyncio.to_thread(begun.wait, 5)
        other = asyncio.ensure_future(worker.do(lambda _: done.append("other")))
        await asyncio.sleep(0)
        asked.set()
        await asyncio.gather(task, other)
        assert done == ["begun", "other", "begun", "ended"]

    run(story)


def test_work_aside_does_not_give_way_to_work_aside():
    async def story(worker, _):
        done, asked = [], threading.Event()

        def aside(name, ticket):
            asked.wait(5)
            ticket.check()
            done.append(name)

        tasks = [
            asyncio.ensure_future(worker.do_aside(partial(aside, name))) for name in ("one", "two")
        ]
        await asyncio.sleep(0)
        asked.set()
        await asyncio.gather(*tasks)
        assert done == ["one", "two"]

    run(story)


def test_a_ticket_that_was_given_up():
    ticket = Ticket()
    ticket.check()
    ticket.give_up()
    with pytest.raises(GivenUp):
        ticket.check()


def test_long_work_is_told_and_short_work_is_not(monkeypatch):
    monkeypatch.setattr(schedule, "LONG", 0.05)

    async def story(worker, said):
        await worker.do(lambda _: None)
        await asyncio.sleep(0.1)
        assert said == []
        await worker.do(lambda _: time.sleep(0.2))
        await asyncio.sleep(0.01)
        assert said == ["busy", "idle"]

    run(story)


def test_what_is_asked_once_does_not_wait_for_a_storm_to_end(monkeypatch):
    monkeypatch.setattr(schedule, "DEBOUNCE", 60)

    async def story(_, __):
        done = asyncio.Event()

        async def work():
            done.set()

        Debounced(work).ask()
        await done.wait()

    run(story)


def test_garbage_is_collected_when_there_is_no_work(monkeypatch):
    monkeypatch.setattr(schedule, "REST", 0.02)

    class Ring:
        pass

    async def story(worker, _):
        def leave():
            ring = Ring()
            ring.itself = ring
            return weakref.ref(ring)

        left = await worker.do(lambda _: leave())
        await asyncio.sleep(0.2)
        assert left() is None

    run(story)


def test_what_is_asked_again_and_again_is_done_once():
    async def story(_, __):
        done = []

        async def work():
            done.append("done")

        debounced = Debounced(work)
        for _ in range(50):
            debounced.ask()
            await asyncio.sleep(0.001)
        await asyncio.sleep(schedule.DEBOUNCE * 3)
        assert done == ["done"]

    run(story)


def test_asking_again_gives_up_what_is_under_way():
    async def story(worker, _):
        ends = []

        def long(ticket):
            try:
                for _ in range(500):
                    ticket.check()
                    time.sleep(0.01)
            except GivenUp:
                ends.append("given up")
                raise
            ends.append("done")

        debounced = Debounced(lambda: worker.do(long))
        debounced.ask()
        await asyncio.sleep(schedule.DEBOUNCE + 0.05)
        debounced.ask()
        await asyncio.sleep(0.05)
        assert ends == ["given up"]

    run(story)


def test_who_sends_more_than_is_taken_waits():
    backlog = Backlog(10)
    added = []

    def send():
        for number in range(4):
            backlog.add(8)
            added.append(number)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    time.sleep(0.1)
    assert added == [0, 1]
    backlog.taken(8)
    backlog.taken(8)
    sender.join(10)
    assert added == [0, 1, 2, 3]
