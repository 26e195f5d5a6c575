#!/usr/bin/env bash
# The conformance suite of the OCI distribution specification, against the registry of containers.
. "$JUDGE_LIB"
VERSION=v0.0.0-20260831232431-97274622c111
need_tool go golang-go || abort "no go"
cd "$JUDGE_WORK"
BIN="$JUDGE_CACHE/oci-conformance-$VERSION"
if [ ! -x "$BIN/conformance" ]; then
  GOBIN="$BIN" GOFLAGS=-mod=mod go install "github.com/opencontainers/distribution-spec/conformance@$VERSION" >"$JUDGE_LOG_DIR/go.log" 2>&1 || abort "installing the suite"
fi
OCI_REGISTRY="$JUDGE_HOST" OCI_TLS=disabled OCI_REPO1="$ADMIN_USER/conformance/one" OCI_REPO2="$ADMIN_USER/conformance/two" \
  OCI_USERNAME="$ADMIN_USER" OCI_PASSWORD="$ADMIN_PASSWORD" OCI_VERSION=1.1 OCI_API_BLOBS_UPLOAD_CANCEL=true \
  OCI_API_BLOBS_DIGEST_HEADER=true OCI_API_MANIFESTS_DIGEST_HEADER=true OCI_RESULTS_DIR="$JUDGE_LOG_DIR/results" \
  "$BIN/conformance" >"$JUDGE_LOG_DIR/suite.log" 2>&1
[ -s "$JUDGE_LOG_DIR/results/junit.xml" ] || abort "the suite wrote no report"
# The suite's hundreds of tests are told by their groups.
while IFS=$'\t' read -r failures group; do
  if [ "$failures" = 0 ]; then pass "$group"; else fail "$group"; fi
done < <(python3 - "$JUDGE_LOG_DIR/results/junit.xml" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
groups = {}
for case in tree.parse(sys.argv[1]).iter("testcase"):
    parts = case.get("name").split("/")
    group = groups.setdefault(parts[1] if len(parts) > 1 else parts[0], [0, 0])
    group[0] += case.find("failure") is not None or case.find("error") is not None
    group[1] += case.find("skipped") is None
for name, (failures, run) in groups.items():
    if run: print(failures, f"{name} ({run} tests)", sep="\t")
PYTHON
)
