#!/usr/bin/env bash
# The Python clients that two generators make of the description load, and one of them plays a session.
. "$JUDGE_LIB"
. "$JUDGE_DIR/../generated.sh"
need_openapi_generator
py_venv generated-python openapi-python-client==0.29.1 ruff==0.14.6 pydantic==2.12.4 python-dateutil==2.9.0.post0 urllib3==2.5.0 ||
  abort "installing the generators"
PYTHON_OF_SESSION="$JUDGE_CACHE/generated-python/bin/python"
cd "$JUDGE_WORK" || abort "no folder"

# Imports each module of a package.
loads() {
  "$PYTHON_OF_SESSION" - "$1" <<'PYTHON'
import importlib, pkgutil, sys
sys.path.insert(0, ".")
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
PYTHON
}
openapi_python_client() {
  "$JUDGE_CACHE/generated-python/bin/openapi-python-client" generate --path openapi.json --output-path other_client --meta none
  loads other_client
}
openapi_generator_python() { openapi_generator python . && loads openapi_client; }

check "openapi-python-client: the client loads" openapi_python_client
check "openapi-generator, python: the client loads" openapi_generator_python || exit 1
verdicts 9 env PYTHONPATH=. TOKEN="$(make_token)" RUN_ID="$RUN_ID" BASE_URL="$BASE_URL" OWNER="$ADMIN_USER" \
  "$PYTHON_OF_SESSION" "$JUDGE_DIR/session.py"
