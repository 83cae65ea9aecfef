#!/bin/sh
# Builds the programs that kubernetes.py starts into FOLDER/bin: Kubernetes 1.20.2 from Debian 12's source
# package, the last that has the servers, and kubectl 1.32 from Debian 13's package. Takes about ten minutes of
# processor time and 3 GB in FOLDER.
#
#     apt-get install golang-go dpkg-dev gcc
#     sh benchmarks/fleet/kubernetes-build.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
bin=$folder/bin
mkdir -p "$bin" "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/go/src/k8s.io"

# Sources of our own: the machine's stay as they are.
cat > "$folder/debian.sources" <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
apt() {
    apt-get -o Dir::Etc::sourceparts=/nonexistent -o Dir::Etc::sourcelist="$folder/debian.sources" \
        -o Dir::State::lists="$folder/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$folder/cache" \
        -o APT::Sandbox::User=root "$@"
}
cd "$folder"
apt update
apt download kubectl
dpkg -x kubectl_*.deb kubectl
cp kubectl/usr/bin/kubectl "$bin"
apt source --download-only kubernetes=1.20.5+really1.20.2-1.1+deb12u1
rm -rf source
dpkg-source -x kubernetes_*.dsc source

ln -sfn "$folder/source" go/src/k8s.io/kubernetes
cd go/src/k8s.io/kubernetes
export GOPATH="$folder/go" GOCACHE="$folder/go-cache" GO111MODULE=off GOFLAGS=-p=1 CGO_ENABLED=0
# The source package lacks the types of the API, which validation needs.
go build -o "$bin/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
packages=$(grep -rl --include='*.go' '+k8s:openapi-gen=' staging/src/k8s.io pkg cmd plugin \
    | grep -v -E 'code-generator|sample-apiserver|/generated/|_test' \
    | sed -e 's#^staging/src/#vendor/#' -e 's#/[^/]*$##' -e 's#^#k8s.io/kubernetes/#' | LC_ALL=C sort -u | paste -sd,)
"$bin/openapi-gen" -i "$packages" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$folder/violations" -o "$folder/go/src"
flags="-s -w"
for part in component-base/version client-go/pkg/version; do
    flags="$flags -X k8s.io/kubernetes/vendor/k8s.io/$part.gitVersion=v1.20.2"
done
for program in kube-apiserver kube-controller-manager kube-scheduler; do
    go build -ldflags "$flags" -o "$bin/$program" "./cmd/$program"
done
# The kubelet needs C for its statistics of the machine.
CGO_ENABLED=1 go build -ldflags "$flags" -o "$bin/kubelet" ./cmd/kubelet
