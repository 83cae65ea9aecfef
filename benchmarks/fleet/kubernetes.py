#!/usr/bin/env python3
"""A run and its workers from deploy/kubernetes/folder, on a Kubernetes cluster in namespaces.

    python3 benchmarks/fleet/kubernetes.py target/release/dagzero --programs FOLDER

Three nodes. Meanwhile the Job is scaled, pods are deleted, a node is drained, another dies and comes back, and the home
is deleted. Are the bytes those of one machine? Needs root, control groups of version 1, gcc, and
`apt-get install etcd-server containerd runc containernetworking-plugins`. FOLDER has kube-apiserver,
kube-controller-manager, kube-scheduler and kubelet of one version, and kubectl of 1.21 or later; kubernetes-build.sh
makes them. Prints lines of JSON.
"""

import argparse
import hashlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from trial import HOST, SETTINGS, Network, digests, run_words, sh, start, stop

ROOT = Path(__file__).resolve().parents[2]
NODES = 3
USER = 10001
PAUSE = "localhost/pause:1"
TOKEN = "trial"
ETCD = "http://127.0.0.1:23790"
CONTROL_GROUP = "dagzero-trial"
NODE_CONTAINERD = """version = 2
root = "{folder}/containerd"
state = "/run/containerd"
[grpc]
address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
"""
NODE_KUBELET = """apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {{anonymous: {{enabled: true}}, webhook: {{enabled: false}}}}
authorization: {{mode: AlwaysAllow}}
cgroupDriver: cgroupfs
cgroupRoot: /{group}/{name}
enforceNodeAllocatable: []
evictionHard: {{memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}}
imageGCHighThresholdPercent: 100
nodeStatusUpdateFrequency: 4s
nodeStatusReportFrequency: 4s
"""
# A node is a mount and a PID namespace: its first process takes all others with it. The kubelet would
# set some values of the kernel; it finds them set in files of this namespace.
NODE_START = """set -e
hostname {name}
mount --make-rshared /
bind() {{ mkdir -p {folder}/$1 $2; mount --bind {folder}/$1 $2; }}
bind kubelet /var/lib/kubelet
bind pods /var/log/pods
bind containers /var/log/containers
bind networks /var/lib/cni
bind run /run/containerd
bind netns /run/netns
set_value() {{ echo $2 > {folder}/$(basename $1); mount --bind {folder}/$(basename $1) /proc/sys/$1; }}
set_value vm/overcommit_memory 1
set_value vm/panic_on_oom 0
set_value kernel/panic 10
set_value kernel/panic_on_oops 1
set_value kernel/keys/root_maxkeys 1000000
set_value kernel/keys/root_maxbytes 25000000
containerd --config {folder}/containerd.toml &
until ctr version > /dev/null 2>&1; do sleep 0.2; done
for image in {images}; do ctr -n k8s.io images import $image; done
{programs}/kubelet --config={folder}/kubelet.yaml --kubeconfig={kubeconfig} --container-runtime=remote \\
  --container-runtime-endpoint=unix:///run/containerd/containerd.sock --hostname-override={name} \\
  --node-ip={address} &
wait
"""
# What a pod asks of a node. The manifests ask for more than this machine has.
SMALL = {"cpu": "50m", "memory": "64Mi"}
PAUSE_SOURCE = """#include <signal.h>
#include <unistd.h>
static void end(int number) { _exit(0); }
int main(void) { signal(SIGTERM, end); signal(SIGINT, end); for (;;) pause(); }
"""


def image(path, name, files, folders, config):
    """Writes an archive that `docker load` and `ctr images import` read: one layer of files, and a configuration."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        for folder, mode in folders:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            archive.addfile(entry)
        for inside, outside in files.items():
            entry = archive.gettarinfo(str(Path(outside).resolve()), inside)
            entry.uid = entry.gid = 0
            entry.mode = 0o755
            with open(outside, "rb") as source:
                archive.addfile(entry, source)
    layer = layer.getvalue()
    text = json.dumps({
        "architecture": "amd64", "os": "linux", "config": config,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }).encode()
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w") as archive:
        for inside, data in [("layer.tar", layer), ("config.json", text), ("manifest.json", json.dumps(manifest).encode())]:
            entry = tarfile.TarInfo(inside)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def images(folder, dagzero):
    """The image `dagzero:cpu` as deploy/docker has it, less Debian's other files; and the pause image."""
    (folder / "pause.c").write_text(PAUSE_SOURCE)
    sh("gcc", "-static", "-Os", "-s", "-o", str(folder / "pause"), str(folder / "pause.c"))
    image(folder / "pause.tar", PAUSE, {"pause": folder / "pause"}, [], {"Entrypoint": ["/pause"]})
    sh("strip", "-o", str(folder / "dagzero"), dagzero)
    files = {"usr/local/bin/dagzero": folder / "dagzero"}
    for library in re.findall(r"(/\S+) \(0x", sh("ldd", dagzero).stdout):
        files[library.lstrip("/")] = library
    config = {
        "Entrypoint": ["dagzero"], "Cmd": ["help"], "User": f"{USER}:{USER}", "WorkingDir": "/dagzero",
        "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    }
    image(folder / "dagzero.tar", "dagzero:cpu", files, [("tmp", 0o1777), ("dagzero", 0o755), ("dagzero/data", 0o1777)],
          config)
    return [folder / "pause.tar", folder / "dagzero.tar"]


class Cluster:
    def __init__(self, folder, programs, archives):
        self.folder, self.programs, self.archives = folder, programs, archives
        self.daemons, self.nodes = [], []

    def begin(self):
        folder, programs = self.folder, self.programs
        self.network = Network(NODES)
        self.log = open(folder / "daemons.log", "ab")
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "trial",
            "clusters": [{"name": "trial", "cluster": {
                "server": f"https://{HOST}:16443", "insecure-skip-tls-verify": True}}],
            "users": [{"name": "trial", "user": {"token": TOKEN}}],
            "contexts": [{"name": "trial", "context": {"cluster": "trial", "user": "trial"}}],
        }))
        (folder / "tokens.csv").write_text(f'{TOKEN},trial,1,"system:masters"\n')
        sh("openssl", "genrsa", "-out", str(folder / "accounts.key"), "2048")
        key = folder / "accounts.key"
        self.daemon("etcd", f"--data-dir={folder}/etcd", f"--listen-client-urls={ETCD}", f"--advertise-client-urls={ETCD}",
                    "--listen-peer-urls=http://127.0.0.1:23800")
        self.daemon(
            f"{programs}/kube-apiserver", f"--etcd-servers={ETCD}", f"--bind-address={HOST}", "--secure-port=16443",
            f"--cert-dir={folder}/pki", f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=AlwaysAllow",
            "--service-cluster-ip-range=10.98.0.0/24", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={key}", f"--service-account-key-file={key}",
            "--kubelet-preferred-address-types=InternalIP",
            # 300 s by default.
            "--default-not-ready-toleration-seconds=15", "--default-unreachable-toleration-seconds=15")
        self.until(90, "the API server", lambda: self.kubectl("get", "--raw", "/readyz", check=False).stdout == "ok")
        self.daemon(
            f"{programs}/kube-controller-manager", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
            "--bind-address=127.0.0.1", f"--cert-dir={folder}/pki-controllers", f"--service-account-private-key-file={key}",
            # 40 s and 5 s by default.
            "--node-monitor-grace-period=16s", "--node-monitor-period=2s")
        self.daemon(f"{programs}/kube-scheduler", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
                    "--bind-address=127.0.0.1", f"--cert-dir={folder}/pki-scheduler")
        for number in range(NODES):
            self.nodes.append(self.node(number))
        words = ["get", "nodes", "--no-headers"]
        self.until(120, "the nodes", lambda: self.kubectl(*words).stdout.count(" Ready ") == NODES)
        self.until(60, "the account", lambda: self.kubectl("get", "serviceaccount", "default", check=False).returncode == 0)

    def until(self, seconds, what, is_so):
        begun = time.time()
        while not is_so():
            assert time.time() - begun < seconds, f"waited {seconds} s for {what}: {self.folder}"
            time.sleep(0.5)

    def daemon(self, *words):
        self.daemons.append(start(list(words), {}, self.log))

    def node(self, number):
        name = f"node{number + 1}"
        folder = self.folder / name
        (folder / "cni").mkdir(parents=True, exist_ok=True)
        for controller in Path("/sys/fs/cgroup").iterdir():
            if (controller / "cgroup.procs").exists() and not (controller / "cgroup.controllers").exists():
                make_group(controller / CONTROL_GROUP)
                make_group(controller / CONTROL_GROUP / name)
        (folder / "containerd.toml").write_text(NODE_CONTAINERD.format(folder=folder, pause=PAUSE))
        (folder / "kubelet.yaml").write_text(NODE_KUBELET.format(group=CONTROL_GROUP, name=name))
        (folder / "cni" / "10-trial.conflist").write_text(json.dumps({
            "cniVersion": "0.4.0", "name": "trial", "plugins": [{
                "type": "bridge", "bridge": "pods", "isGateway": True, "ipMasq": False,
                "ipam": {"type": "host-local", "ranges": [[{"subnet": f"10.97.{number}.0/24"}]]},
            }]}))
        script = NODE_START.format(
            name=name, folder=folder, programs=self.programs, kubeconfig=self.kubeconfig, address=f"10.99.0.{number + 10}",
            images=" ".join(map(str, self.archives)))
        namespace = f"--net=/run/netns/{self.network.names[number]}"
        own = ["--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
        words = ["nsenter", namespace, "unshare", *own, "sh", "-c", script]
        return start(words, {}, open(self.folder / f"{name}.log", "ab"))

    def kubectl(self, *words, check=True, text=None):
        found = subprocess.run(
            [f"{self.programs}/kubectl", f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.folder}/kubectl", *words],
            capture_output=True, text=True, input=text, check=False)
        if check and found.returncode:
            raise RuntimeError(f"kubectl {' '.join(words)}: {found.stdout}{found.stderr}")
        return found

    def end(self):
        for process in self.nodes + self.daemons:
            stop(process)
        # The kernel lets go of a group some moments after its last process.
        for _ in range(20):
            time.sleep(0.5)
            for controller in Path("/sys/fs/cgroup").iterdir():
                for folder, _, _ in os.walk(controller / CONTROL_GROUP, topdown=False):
                    sh("rmdir", folder, check=False)
            if not list(Path("/sys/fs/cgroup").glob(f"*/{CONTROL_GROUP}")):
                break


def make_group(path):
    path.mkdir(exist_ok=True)
    # As much as four processes that are in no group.
    if (path / "cpu.shares").exists():
        (path / "cpu.shares").write_text("4096")
    for name in ["cpuset.cpus", "cpuset.mems"]:
        if (path / name).exists():
            (path / name).write_text((path.parent / name).read_text())


def overlay(folder, arguments, more):
    """Writes two overlays of deploy/kubernetes/folder, which set what the run plays and what pods ask of a node.

    `served` is `whole` without the field that Kubernetes 1.20 does not have.
    """
    home = [{"op": "replace", "path": "/spec/template/spec/containers/0/args/1", "value": arguments.preset}]
    for pair in SETTINGS + arguments.set + more:
        for word in ["--set", pair]:
            home.append({"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": word})
    requests = {"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests", "value": SMALL}
    workers = [{"op": "replace", "path": "/spec/parallelism", "value": 2}, requests]
    newer = [{"op": "remove", "path": "/spec/podFailurePolicy"}]
    overlays = []
    for name, removed in [("whole", []), ("served", newer)]:
        (folder / name).mkdir()
        (folder / name / "kustomization.yaml").write_text(json.dumps({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": [os.path.relpath(ROOT / "deploy/kubernetes/folder", (folder / name).resolve())],
            "patches": [
                {"target": {"kind": "StatefulSet"}, "patch": json.dumps([*home, requests])},
                {"target": {"kind": "Job"}, "patch": json.dumps(workers + removed)},
            ]}, indent=1))
        overlays.append(folder / name)
    return overlays


def volumes(folder):
    """The home's disk lies on node1. The mailbox is a folder that all nodes see."""
    for name in ["disk", "shared"]:
        (folder / name).mkdir()
    # Kubernetes gives no host path to the group of `fsGroup`; an administrator does.
    os.chown(folder / "shared", USER, USER)
    disk = {"capacity": {"storage": "50Gi"}, "accessModes": ["ReadWriteOnce"], "local": {"path": str(folder / "disk")},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node1"]}]}]}}}
    shared = {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany"],
              "hostPath": {"path": str(folder / "shared")}}
    items = [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}
             for name, spec in [("disk", disk), ("shared", shared)]]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def say(begun, **what):
    print(json.dumps({"at_s": round(time.time() - begun), **what}), flush=True)


class Trial:
    def __init__(self, cluster, begun, deletions):
        self.cluster, self.begun, self.seen, self.ends = cluster, begun, {}, {}
        self.job, self.nodes, self.dead = None, {}, 2
        self.source = random.Random(7)
        self.deletions, self.deleted = deletions, 0
        self.last = time.time()

    def command(self, *words):
        found = self.cluster.kubectl(*words, check=False)
        lines = [line for line in (found.stdout + found.stderr).splitlines() if not line.startswith("Warning")]
        answer = lines[0 if words[0] == "exec" else -1] if lines else ""
        say(self.begun, command=" ".join(["kubectl", *words]), answer=answer, exit=found.returncode)

    def pods(self):
        items = json.loads(self.cluster.kubectl("get", "pods,nodes,jobs", "-o", "json").stdout)["items"]
        self.job = [item for item in items if item["kind"] == "Job"][0]
        nodes = {item["metadata"]["name"]: self.node_state(item) for item in items if item["kind"] == "Node"}
        if nodes != self.nodes:
            self.nodes = nodes
            say(self.begun, nodes=nodes)
        states = {}
        pods = [item for item in items if item["kind"] == "Pod"]
        for pod in pods:
            part = pod["metadata"]["labels"]["app.kubernetes.io/component"]
            phase = "Terminating" if "deletionTimestamp" in pod["metadata"] else pod["status"]["phase"]
            states[f"{part} {phase}"] = states.get(f"{part} {phase}", 0) + 1
            self.ends.setdefault((part, pod["metadata"]["uid"]), "deleted")
            for status in pod["status"].get("containerStatuses", []):
                state = status["state"].get("terminated") or status["lastState"].get("terminated")
                if state:
                    self.ends[part, pod["metadata"]["uid"]] = state["exitCode"]
        if states != self.seen:
            self.seen = states
            say(self.begun, pods=states)
        return pods

    def node_state(self, node):
        ready = [condition["status"] for condition in node["status"]["conditions"] if condition["type"] == "Ready"]
        return ("Ready" if ready == ["True"] else "NotReady") + (" drained" if node["spec"].get("unschedulable") else "")

    def delete_some(self, items):
        """Deletes a running worker every few seconds, every third one without a moment to drain."""
        if self.deleted >= self.deletions or time.time() - self.last < self.source.uniform(8, 16):
            return
        playing = [pod["metadata"]["name"] for pod in items if pod["status"]["phase"] == "Running"
                   and "deletionTimestamp" not in pod["metadata"] and "workers" in pod["metadata"]["name"]]
        if not playing:
            return
        self.last = time.time()
        self.deleted += 1
        at_once = ["--grace-period=0", "--force"] if self.deleted % 3 == 0 else ["--wait=false"]
        self.command("delete", "pod", self.source.choice(sorted(playing)), *at_once)

    def kill_node(self):
        """Kills the node with the most workers, but not the home's."""
        hosts = [pod["spec"].get("nodeName", "") for pod in self.pods()]
        self.dead = max([1, 2], key=lambda number: hosts.count(f"node{number + 1}"))
        stop(self.cluster.nodes[self.dead])
        name = f"node{self.dead + 1}"
        say(self.begun, event=f"{name} dies", its_pods=hosts.count(name))

    def start_node(self):
        self.cluster.nodes[self.dead] = self.cluster.node(self.dead)
        say(self.begun, event=f"node{self.dead + 1} comes back")


def played(arguments, scratch, cluster, more):
    begun = time.time()
    trial = Trial(cluster, begun, arguments.deletions)
    version = json.loads(cluster.kubectl("version", "-o", "json").stdout)
    say(begun, client=version["clientVersion"]["gitVersion"], server=version["serverVersion"]["gitVersion"])
    whole, served = overlay(scratch, arguments, more)
    cluster.kubectl("apply", "-f", "-", text=volumes(scratch))
    # A key that this version does not know, and a misspelt one.
    rendered = cluster.kubectl("kustomize", str(served)).stdout
    refused = {
        "podFailurePolicy": cluster.kubectl("apply", "-k", str(whole), "--dry-run=server", check=False),
        "paralellism": cluster.kubectl("apply", "-f", "-", "--dry-run=server", check=False,
                                       text=rendered.replace("parallelism", "paralellism")),
    }
    for key, found in refused.items():
        lines = [line for line in found.stderr.splitlines() if key in line]
        say(begun, refused=key, exit=found.returncode, message=lines[-1] if lines else found.stderr)
    trial.command("apply", "-k", str(served))
    events = [
        (30, lambda: trial.command("patch", "job", "dagzero-workers", "-p", '{"spec":{"parallelism":4}}')),
        (60, lambda: trial.command("drain", "node2", "--delete-emptydir-data")),
        (85, lambda: trial.command("uncordon", "node2")),
        (95, lambda: trial.command("delete", "pod", "dagzero-home-0", "--wait=false")),
        (120, lambda: trial.kill_node()),
        (195, lambda: trial.start_node()),
        (215, lambda: trial.command("patch", "job", "dagzero-workers", "-p", '{"spec":{"parallelism":6}}')),
        (230, lambda: trial.command("delete", "pod", "dagzero-home-0", "--grace-period=0", "--force")),
        (245, lambda: trial.command("exec", "dagzero-home-0", "--", "dagzero", "status", "/run/dagzero/connect4")),
        (246, lambda: trial.command("logs", "statefulset/dagzero-home", "--tail=1")),
    ]
    while True:
        assert time.time() - begun < arguments.patience, "it hangs"
        if events and time.time() - begun > events[0][0]:
            events.pop(0)[1]()
        items = trial.pods()
        if trial.job["status"].get("completionTime"):
            break
        trial.delete_some(items)
        time.sleep(1)
    seconds = time.time() - begun
    trial.command("get", "job", "dagzero-workers", "--no-headers")
    trial.command("scale", "statefulset", "dagzero-home", "--replicas=0")
    cluster.until(180, "the home to end", lambda: "dagzero-home-0" not in cluster.kubectl("get", "pods").stdout)
    trial.pods()
    counts = {}
    for (part, _), code in trial.ends.items():
        counts[f"{part} {code}"] = counts.get(f"{part} {code}", 0) + 1
    return {"seconds": round(seconds, 1), "ends": dict(sorted(counts.items())), "deleted": trial.deleted,
            "events_left": len(events)}


def enter_namespaces():
    """Starts this program again in namespaces of its own, which end with it, with all that it starts."""
    if os.environ.get("DAGZERO_TRIAL") != "inside":
        os.environ["DAGZERO_TRIAL"] = "inside"
        own = ["--net", "--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc"]
        os.execvp("unshare", ["unshare", *own, sys.executable, *sys.argv])
    sh("ip", "link", "set", "lo", "up")
    os.makedirs("/run/netns", exist_ok=True)
    sh("mount", "-t", "tmpfs", "tmpfs", "/run/netns")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dagzero")
    parser.add_argument("--programs", required=True, help="the folder of kubectl, kubelet and the control plane")
    parser.add_argument("--preset", default="connect4-smoke")
    parser.add_argument("--deletions", type=int, default=12, help="worker pods that are deleted")
    parser.add_argument("--set", action="append", default=[], help="a setting of the run, such as run.cycles=8")
    parser.add_argument("--patience", type=float, default=2400)
    parser.add_argument("--keep", action="store_true", help="print what pods and daemons said")
    arguments = parser.parse_args()
    enter_namespaces()
    arguments.dagzero = str(Path(arguments.dagzero).resolve())
    programs = Path(arguments.programs).resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    longer = ["run.cycles=6", "selfplay.games=768", "selfplay.playouts=640"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        os.chmod(scratch, 0o755)
        begun = time.time()
        arguments.set = longer + arguments.set
        subprocess.run(run_words(arguments, scratch / "alone"), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        whole = digests(scratch / "alone")
        print(json.dumps({"alone_s": round(time.time() - begun, 1)}), flush=True)
        archives = images(scratch, arguments.dagzero)
        cluster = Cluster(scratch, programs, archives)
        try:
            cluster.begin()
            result = played(arguments, scratch, cluster, ["workers.home_plays=false"])
        finally:
            if arguments.keep or sys.exc_info()[0]:
                for path in [*sorted(scratch.glob("*.log"))]:
                    sys.stderr.write(f"== {path.name}\n" + path.read_text(errors="replace")[-6000:])
            cluster.end()
        run = scratch / "disk" / "connect4"
        found = digests(run)
        differs = sorted(name for name in whole.keys() | found.keys() if whole.get(name) != found.get(name))
        verified = subprocess.run([arguments.dagzero, "verify", str(run)], capture_output=True, text=True)
        print(json.dumps({**result, "files": len(found), "differs": differs, "verify": verified.returncode}), flush=True)
        sys.exit(1 if differs or verified.returncode else 0)


main()
