#!/usr/bin/env python3
"""A run whose workers are an array of deploy/slurm/workers.sbatch, on a Slurm cluster in network namespaces.

    python3 benchmarks/fleet/slurm.py target/release/dagzero

Four nodes, an array of eight tasks. Meanwhile a job of higher priority pre-empts two nodes, and one node dies and comes
back. Are the bytes those of one machine? Needs root, and `apt-get install slurm-wlm munge`. Prints lines of JSON.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from trial import HOST, Network, digests, run_words, sh, start, stop

NODES = 4
ROOT = Path(__file__).resolve().parents[2]
CONFIG = """ClusterName=trial
SlurmctldHost={host}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=20
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
MailProg=/bin/true
MpiDefault=none
NodeName=node[1-{nodes}] NodeAddr=10.99.0.[10-{last}] CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 GraceTime=30 MaxTime=INFINITE State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF MaxTime=INFINITE State=UP
"""


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.network = Network(NODES)
        for name in ["state", *(f"spool-node{number + 1}" for number in range(NODES))]:
            (folder / name).mkdir()
        text = CONFIG.format(host=socket.gethostname(), address=HOST, folder=folder, nodes=NODES, last=9 + NODES)
        self.config = folder / "slurm.conf"
        self.config.write_text(text)
        os.environ["SLURM_CONF"] = str(self.config)
        self.log = open(folder / "daemons.log", "ab")
        for path in ["/run/munge", "/etc/munge", "/var/log/munge", "/var/lib/munge"]:
            Path(path).mkdir(exist_ok=True)
            os.chmod(path, 0o755)
            sh("chown", "munge:munge", path)
        if not Path("/etc/munge/munge.key").exists():
            sh("mungekey", "--create")
            sh("chown", "munge:munge", "/etc/munge/munge.key")
        sh("pkill", "-x", "munged", check=False)
        time.sleep(0.5)
        sh("su", "-s", "/bin/sh", "munge", "-c", "/usr/sbin/munged --force")
        self.controller = start(["slurmctld", "-D"], {}, self.log)
        self.nodes = [self.node(number) for number in range(NODES)]
        begun = time.time()
        while "idle" not in sh("sinfo", "-h", "-o", "%t", check=False).stdout:
            assert time.time() - begun < 90, f"the cluster does not start: {folder}"
            time.sleep(0.5)

    def node(self, number):
        name = f"node{number + 1}"
        # Not `ip netns exec`, which hides the control groups that slurmd asks for.
        namespace = f"--net=/run/netns/{self.network.names[number]}"
        words = ["nsenter", namespace, "unshare", "--uts", "sh", "-c", f"hostname {name}; exec slurmd -D -N {name}"]
        return start(words, {}, self.log)

    def end(self):
        for process in [self.controller, *self.nodes]:
            stop(process)
        sh("pkill", "-KILL", "-x", "slurmstepd", check=False)
        sh("pkill", "-x", "munged", check=False)
        self.network.clean()


def states():
    listed = sh("squeue", "-h", "-a", "-r", "-o", "%i %P %t", check=False).stdout.split("\n")
    found = {}
    for line in filter(None, listed):
        _, partition, state = line.split()
        found[f"{partition}-{state}"] = found.get(f"{partition}-{state}", 0) + 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dagzero")
    parser.add_argument("--preset", default="connect4-smoke")
    parser.add_argument("--set", action="append", default=[], help="a setting of the run, such as run.cycles=8")
    parser.add_argument("--patience", type=float, default=1800)
    arguments = parser.parse_args()
    arguments.dagzero = str(Path(arguments.dagzero).resolve())
    # Long enough for a pre-empted task to be queued again, which takes Slurm two minutes.
    longer = ["run.cycles=6", "selfplay.games=768", "selfplay.playouts=640"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        os.chmod(scratch, 0o755)
        begun = time.time()
        subprocess.run(run_words(arguments, scratch / "alone", longer), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        whole = digests(scratch / "alone")
        print(json.dumps({"alone_s": round(time.time() - begun, 1)}), flush=True)
        cluster = Cluster(scratch)
        mailbox = scratch / "mailbox"
        log = open(scratch / "log", "ab")
        run = scratch / "run"
        home = start(run_words(arguments, run, [*longer, f"workers.mailbox={mailbox}", "workers.home_plays=false"]), {}, log)
        bin_folder = str(Path(arguments.dagzero).parent)
        os.environ["PATH"] = f"{bin_folder}:{os.environ['PATH']}"
        submitted = sh("sbatch", "--array=1-8", "--cpus-per-task=1", "--mem=200M", "--partition=low",
                       f"--output={scratch}/slurm-%A_%a.out", str(ROOT / "deploy/slurm/workers.sbatch"), str(mailbox),
                       "--cache", str(scratch / "cache"))
        print(json.dumps({"sbatch": submitted.stdout.strip()}), flush=True)
        begun = time.time()
        events = [
            (25, "two nodes are pre-empted for 15 s", lambda: sh(
                "sbatch", "--partition=high", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap", "sleep 15")),
            (80, "node 4 dies", lambda: (stop(cluster.nodes[3]), sh(
                "pkill", "-KILL", "-f", "slurmstepd.*node4", check=False), cluster.network.set_link(3, "down"))),
            (140, "node 4 comes back", lambda: (cluster.network.set_link(3, "up"), cluster.nodes.__setitem__(
                3, cluster.node(3)))),
        ]
        seen = {}
        while home.poll() is None:
            assert time.time() - begun < arguments.patience, "it hangs"
            if events and time.time() - begun > events[0][0]:
                _, what, act = events.pop(0)
                act()
                print(json.dumps({"at_s": round(time.time() - begun), "event": what}), flush=True)
            now = states()
            if now != seen:
                seen = now
                print(json.dumps({"at_s": round(time.time() - begun), "tasks": now}), flush=True)
            time.sleep(1)
        home_s = time.time() - begun
        while states() and time.time() - begun < home_s + 240:
            time.sleep(1)
        found = digests(run)
        differs = sorted(name for name in whole.keys() | found.keys() if whole.get(name) != found.get(name))
        verified = subprocess.run([arguments.dagzero, "verify", str(run)], capture_output=True, text=True)
        print(json.dumps({
            "home_exit": home.returncode, "seconds": round(home_s, 1), "files": len(found), "differs": differs,
            "verify": verified.returncode, "tasks_left": states(), "events_left": len(events),
        }), flush=True)
        if differs or home.returncode or "KEEP" in os.environ:
            for path in sorted(scratch.glob("slurm-*.out")) + [scratch / "log"]:
                sys.stderr.write(f"== {path.name}\n" + path.read_text(errors="replace")[-1500:])
        cluster.end()
        sys.exit(1 if differs or home.returncode or verified.returncode else 0)


main()
