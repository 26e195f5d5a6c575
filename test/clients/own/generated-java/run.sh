#!/usr/bin/env bash
# The Java client that openapi-generator makes of the description compiles.
. "$JUDGE_LIB"
. "$JUDGE_DIR/../generated.sh"
need_openapi_generator
need_tool mvn maven || abort "no maven"
LIBRARIES="$JUDGE_CACHE/generated-java"

java_client() {
  openapi_generator java "$JUDGE_WORK/java"
  cd "$JUDGE_WORK/java"
  if [ ! -f "$LIBRARIES/.done" ]; then
    mvn -q dependency:copy-dependencies -DincludeScope=compile "-DoutputDirectory=$LIBRARIES"
    touch "$LIBRARIES/.done"
  fi
  find src/main -name '*.java' >sources
  javac -proc:none -nowarn -d classes -cp "$LIBRARIES/*" @sources
}

check "openapi-generator, java: the client compiles" java_client
