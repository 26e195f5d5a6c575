#!/usr/bin/env bash
# The messages and the client library that runners of the family are built with, as a runner that runs a workflow on this machine.
. "$JUDGE_LIB"
need_tool go golang-go || abort "no go"
BUILD="$JUDGE_CACHE/runner-protocol-$(cat "$JUDGE_DIR/main.go" "$JUDGE_DIR/run.sh" | sha256sum | cut -c1-16)"
if [ ! -x "$BUILD/runner" ]; then
  rm -rf "$JUDGE_CACHE"/runner-protocol-*
  mkdir -p "$BUILD"
  cp "$JUDGE_DIR/main.go" "$BUILD/"
  (
    cd "$BUILD" && go mod init judge && go get code.gitea.io/actions-proto-go@v0.4.1 connectrpc.com/connect@v1.18.1 \
      google.golang.org/protobuf@v1.36.6 gopkg.in/yaml.v3@v3.0.1 && go build -o runner .
  ) >"$JUDGE_LOG_DIR/go.log" 2>&1 || abort "building the runner"
fi
make_repo "runner-$RUN_ID"
COUNT=0
while IFS=$'\t' read -r verdict name; do
  COUNT=$((COUNT + 1))
  if [ "$verdict" = ok ]; then pass "$name"; else fail "$name"; fi
done < <(timeout 120 "$BUILD/runner" "runner-$RUN_ID" 2>"$JUDGE_LOG_DIR/runner.log")
[ "$COUNT" -eq 10 ] || abort "it came to no end: $COUNT of 10 checks"
