#!/usr/bin/env bash
# The Go client that openapi-generator makes of the description compiles and plays a session.
. "$JUDGE_LIB"
. "$JUDGE_DIR/../generated.sh"
need_openapi_generator
need_tool go golang-go || abort "no go"

go_client() {
  openapi_generator go "$JUDGE_WORK/forge" --git-host judge.example --git-user-id own --git-repo-id forge -p packageName=forge
  mkdir "$JUDGE_WORK/forge/session"
  cp "$JUDGE_DIR/main.go" "$JUDGE_WORK/forge/session/"
  cd "$JUDGE_WORK/forge"
  go mod tidy
  go build -o "$JUDGE_WORK/session" ./session
}

check "openapi-generator, go: the client compiles" go_client || exit 1
verdicts 9 env TOKEN="$(make_token)" RUN_ID="$RUN_ID" BASE_URL="$BASE_URL" OWNER="$ADMIN_USER" "$JUDGE_WORK/session"
