# Shared by the sessions of generated clients. Source it after `$JUDGE_LIB`.
DESCRIPTION="$JUDGE_WORK/openapi.json"
curl -sSf "$BASE_URL/api/openapi.json" >"$DESCRIPTION" || abort "reading the description"

# openapi_generator GENERATOR FOLDER OPTIONS... : writes a client of the description, without its tests and documents
openapi_generator() {
  local generator=$1 folder=$2
  shift 2
  java -jar "$JUDGE_CACHE"/openapi-generator/lib/python*/site-packages/openapi_generator_cli/openapi-generator.jar generate \
    -i "$DESCRIPTION" -g "$generator" -o "$folder" \
    --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false "$@"
}

need_openapi_generator() {
  need_tool javac default-jdk-headless || abort "no java"
  py_venv openapi-generator openapi-generator-cli==7.26.0 || abort "installing openapi-generator"
}

# verdicts COUNT COMMAND... : takes the lines `ok <check>` and `FAIL <check>` of a program, which prints COUNT of them
verdicts() {
  local expected=$1 count=0 verdict name
  shift
  while read -r verdict name; do
    count=$((count + 1))
    if [ "$verdict" = ok ]; then pass "$name"; else fail "$name"; fi
  done < <(timeout 120 "$@" 2>"$JUDGE_LOG_DIR/session.log" | grep -E '^(ok|FAIL) ')
  [ "$count" -eq "$expected" ] || { tail -n 5 "$JUDGE_LOG_DIR/session.log"; abort "it came to no end: $count of $expected checks"; }
}
