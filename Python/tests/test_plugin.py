"""The fixture `app_store`, in test runs of its own."""

import os
import pathlib
import select
import shutil

import pytest

CONFIG = pathlib.Path(__file__).parent / "Shop.storekit"


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs a file of tests in a process of its own. Each test of it can note the store's process in the file `pids`."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    shutil.copy(CONFIG, pytester.path / "Shop.storekit")
    pytester.makeini("[pytest]\napp_store_config = Shop.storekit\napp_store_bundle_id = com.example.shop\n")
    pytester.makeconftest("""
        import pytest

        @pytest.fixture
        def noted(app_store):
            with open("pids", "a") as file:
                file.write(f"{app_store.pid}\\n")
            return app_store
    """)

    def run(tests, *arguments):
        pytester.makepyfile(tests)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    return run


@pytest.fixture
def pids(pytester):
    """The processes of the stores, none of which runs any more."""
    def pids():
        found = [int(line) for line in (pytester.path / "pids").read_text().split()]
        assert [pid for pid in found if os.path.exists(f"/proc/{pid}")] == []
        return found

    return pids


def test_each_test_has_a_fresh_store_in_one_process(run, pids):
    run("""
        import pytest

        @pytest.mark.parametrize("number", range(3))
        def test_changes(noted, number):
            store = noted
            assert store.bundle_id == "com.example.shop"
            assert store.transactions() == [] == store.notifications.all() == store.control.faults().faults
            assert not store.control.notification_policy().hold
            assert store.now.year < 2060
            store.buy("coins")
            store.notifications.wait_for("ONE_TIME_CHARGE")
            store.control.set_fault(kind="outage")
            store.control.change_notification_policy(hold=True, delay_milliseconds=600_000)
            store.control.change_clock(now=2_900_000_000_000)
    """).assert_outcomes(passed=3)
    assert len(set(pids())) == 1


def test_a_held_notification_never_outlives_its_test(run, pids):
    run("""
        import http.server, threading
        import pytest

        @pytest.fixture(scope="session")
        def webhook():
            received = []

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    received.append(self.rfile.read(int(self.headers["Content-Length"])))
                    self.send_response(200)
                    self.end_headers()

            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            thread = threading.Thread(target=server.serve_forever, args=[0.01])
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}", received
            server.shutdown()
            thread.join()
            server.server_close()

        @pytest.mark.parametrize("number", range(3))
        def test_holds(noted, webhook, number):
            url, received = webhook
            noted.notifications.send_to(url)
            assert len(received) == number
            noted.buy("coins")
            noted.notifications.wait_for("ONE_TIME_CHARGE")
            noted.control.change_notification_policy(hold=True)
            noted.buy("filter")
            assert len(received) == number + 1
    """).assert_outcomes(passed=3)
    assert len(set(pids())) == 1


def test_the_marker_has_options(run, pids, pytester):
    folder = pytester.mkdir("other")
    shutil.copy(CONFIG, folder / "Other.storekit")
    run("""
        import pathlib
        import pytest

        pytestmark = pytest.mark.app_store(bundle_id="com.example.module")

        def test_module(noted):
            assert noted.bundle_id == "com.example.module"
            assert noted.config == [str(pathlib.Path("Shop.storekit").absolute())]

        @pytest.mark.app_store(config="other/Other.storekit", notifications=False, time_rate=0)
        def test_function(noted):
            assert noted.bundle_id == "com.example.module"
            assert noted.config == [str(pathlib.Path("other/Other.storekit").absolute())]
            assert noted.control.clock().rate == 0
            assert noted.notifications.url is None

        @pytest.mark.app_store("Shop.storekit")
        def test_position(app_store):
            pass

        @pytest.mark.app_store(price=7)
        def test_unknown(app_store):
            pass
    """, "--strict-markers").assert_outcomes(passed=2, errors=2)
    assert len(set(pids())) == 2


def test_without_products_the_error_says_what_to_write(run, pytester):
    pytester.makeini("[pytest]\n")
    result = run("def test_one(app_store): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*app_store_config = Shop.storekit*"])
    pytester.makeini("[pytest]\napp_store_config = Nothing.storekit\n")
    result = run("def test_one(app_store): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*StartError: *Nothing.storekit*"])


def test_each_worker_of_xdist_has_a_process(run, pids):
    run("""
        import os
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_buys(noted, number):
            assert noted.transactions() == []
            noted.buy("coins")
            with open(f"{os.environ['PYTEST_XDIST_WORKER']}-{noted.pid}", "w"):
                pass
    """, "-n", "2").assert_outcomes(passed=6)
    found = pids()
    assert len(set(found)) == 2
    names = {name for name in os.listdir() if name.startswith("gw")}
    assert len(names) == 2


def test_failures_leave_no_process(run, pids):
    result = run("""
        import pytest

        def test_fails(noted):
            noted.buy("coins")
            assert False

        def test_next(noted):
            assert noted.transactions() == []

        @pytest.fixture
        def broken(noted):
            raise ValueError

        def test_fixture(broken):
            pass

        def test_interrupted(noted):
            raise KeyboardInterrupt
    """)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert len(pids()) == 4


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "os.abort()"])
def test_the_end_of_the_test_run_leaves_no_process(run, pytester, end):
    run(f"""
        import os, signal

        def test_ends(noted):
            {end}
    """)
    pid = int((pytester.path / "pids").read_text())
    try:
        ended = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    assert select.select([ended], [], [], 60)[0]
    os.close(ended)


def test_a_program_that_ends_is_the_error_of_its_test(run, pids):
    result = run("""
        import os, signal

        def test_kills(noted):
            process = noted._process._process
            process.kill()
            process.wait()

        def test_stops(noted):
            noted.buy("coins")
            noted.stop()

        def test_next(noted):
            noted.buy("coins")
    """)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*StoppedError: The store's program was ended by signal 9*"])
    assert len(set(pids())) == 3


def test_a_proxy_does_not_hide_the_store(run, monkeypatch, pids):
    for name in ["http_proxy", "HTTP_PROXY"]:
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "example.com")
    monkeypatch.delenv("NO_PROXY", raising=False)
    run("""
        import os, urllib.request

        def test_asks(noted):
            assert os.environ["NO_PROXY"] == os.environ["no_proxy"] == "example.com,127.0.0.1,localhost"
            signed = noted.proofs(noted.buy("coins")).signed_transaction
            noted.verifier().verify_and_decode_signed_transaction(signed)
            urllib.request.urlopen(noted.url).close()
    """).assert_outcomes(passed=1)
    assert pids()
