#!/usr/bin/env bash
# TypeScript clients that three generators make of the description compile, and two validators accept both descriptions.
. "$JUDGE_LIB"
. "$JUDGE_DIR/../generated.sh"
need_tool node nodejs || abort "no node"
need_openapi_generator
npm_dir generated-typescript @hey-api/openapi-ts@0.99.0 orval@8.38.0 @redocly/cli@2.77.0 @apidevtools/swagger-parser@13.1.0 \
  typescript@5.9.3 || abort "installing the generators"
MODULES="$JUDGE_CACHE/generated-typescript/node_modules"
curl -sSf "$BASE_URL/swagger.v1.json" >"$JUDGE_WORK/swagger.json" || abort "reading the older description"
# TypeScript finds the packages that a generated client needs.
ln -s "$MODULES" "$JUDGE_WORK/node_modules"
cd "$JUDGE_WORK" || abort "no folder"

compiles() {
  "$MODULES/.bin/tsc" --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler \
    --lib es2022,dom,dom.iterable "$@"
}
hey_api() { "$MODULES/.bin/openapi-ts" -i openapi.json -o hey-api -c @hey-api/client-fetch && compiles hey-api/index.ts; }
orval_fetch() {
  echo "export default { api: { input: './openapi.json', output: { target: './orval/api.ts', client: 'fetch' } } }" >orval.config.mjs
  "$MODULES/.bin/orval" --config orval.config.mjs && compiles orval/api.ts
}
typescript_fetch() { openapi_generator typescript-fetch typescript-fetch && compiles typescript-fetch/index.ts; }
swagger_parser() {
  node --input-type=module -e "
    const { default: parser } = await import('$MODULES/@apidevtools/swagger-parser/lib/index.js')
    for (const file of ['openapi.json', 'swagger.json']) await parser.validate(file)"
}
redocly() { "$MODULES/.bin/redocly" lint openapi.json swagger.json; }

check "swagger-parser accepts both descriptions" swagger_parser
check "redocly lint finds no error in either description" redocly
check "@hey-api/openapi-ts: the client compiles" hey_api
check "orval: the client compiles" orval_fetch
check "openapi-generator, typescript-fetch: the client compiles" typescript_fetch
