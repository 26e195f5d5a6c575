import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

/** The contract's ids that generators make from other ids too. */
const renamed: Readonly<Record<string, string>> = {
  renderMarkdownRaw: 'renderMarkdownText',
  repoRenderMarkdownRaw: 'repoRenderMarkdownText',
}

const describedId = ({ id }: { readonly id: string }): string => renamed[id] ?? id

test('openApiDocument: every operation of the API is there with its own id, and every reference leads somewhere', async () => {
  await using forge = await startForge()
  const { status, json } = await forge.guest.get('/api/openapi.json', { site: true })
  assert.deepEqual([status, json.openapi], [200, '3.1.0'])
  const ids = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  const declared = forge.services.operations().filter(({ base }) => base === 'api')
  assert.deepEqual(ids.sort(), declared.map(describedId).sort())
  for (const [, name] of JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    assert.ok(json.components.schemas[name as string], `schema ${name}`)
  }
})

test('openApiDocument, swaggerDocument: settings that switch an operation off and needed query parameters are told', async () => {
  await using forge = await startForge()
  for (const address of ['/api/openapi.json', '/swagger.v1.json']) {
    const { paths } = (await forge.guest.get(address, { site: true })).json
    const check = paths['/user/quota/check'].get
    assert.deepEqual(Object.keys(check.responses), ['200', '400', '401', '403', '404', '422', '429', '503'])
    const teams = paths['/teams/{teamid}'].delete
    assert.deepEqual(Object.keys(teams.responses), [
      '204',
      '400',
      '401',
      '403',
      '404',
      '409',
      '422',
      '429',
      '501',
      '503',
    ])
    assert.deepEqual(
      check.parameters.map((each: { name: string; required: boolean }) => [each.name, each.required]),
      [['subject', true]],
    )
    const search = paths['/users/search'].get
    assert.ok(search.parameters.every((each: { required: boolean }) => !each.required))
    assert.ok('422' in search.responses, 'a list that is too long for an answer')
    const merge = paths['/repos/{owner}/{repo}/pulls/{index}/merge'].post
    for (const status of ['404', '405', '409', '422', '423']) assert.ok(status in merge.responses, status)
  }
})

test('openApiDocument, swaggerDocument: each operation has a summary, distinct names in every generator, and members with a type', async () => {
  await using forge = await startForge()
  for (const address of ['/api/openapi.json', '/swagger.v1.json']) {
    const { json, text } = await forge.guest.get(address, { site: true })
    interface Operation {
      readonly operationId: string
      readonly summary?: string
      readonly requestBody?: { readonly content: object }
      readonly consumes?: readonly string[]
    }
    type Described = Record<string, Record<string, Operation>>
    const operations = Object.values(json.paths as Described).flatMap((path) => Object.values(path))
    assert.deepEqual(
      operations.filter(({ summary }) => !summary).map(({ operationId }) => operationId),
      [],
    )
    const plain = operations.map(({ operationId }) => operationId.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
    assert.equal(new Set(plain).size, plain.length)
    assert.deepEqual(
      plain.filter((id) => plain.includes(`${id}raw`)),
      [],
      'typescript-fetch makes a second name of each',
    )
    const bodies = operations.flatMap(({ requestBody, consumes }) =>
      consumes ? [consumes] : [Object.keys(requestBody?.content ?? {})],
    )
    assert.ok(
      bodies.every((types) => types.length < 2 || !types.includes('multipart/form-data')),
      'a form beside another body makes two types of one name',
    )
    assert.ok(!/"type":"integer"(?!,"format")/.test(text.replaceAll('"format":"int64","type":"integer"', '')))
    assert.ok(!text.includes('"*/*"'), 'generators omit an answer of any type')
    assert.ok(!/"(?:patternProperties|\$id)"/.test(text), 'a map is additionalProperties, a name is a component')
    assert.ok(!/:\{"type":"null"/.test(text), 'a member has a type other than null')
    const paths = Object.keys(json.paths)
    assert.deepEqual(
      paths.filter((path) => path.includes('{reponame}') || path.endsWith('/')),
      [],
    )
    const schemas = json.definitions ?? json.components.schemas
    for (const schema of Object.values(schemas as Record<string, { properties?: object }>)) {
      const names = Object.keys(schema.properties ?? {}).map((name) => name.toLowerCase().replaceAll('_', ''))
      assert.deepEqual(names, [...new Set(names)], 'two members make the same name in some languages')
    }
  }
})

test('swaggerDocument: Swagger 2.0 below the API root, without what only newer versions know', async () => {
  await using forge = await startForge()
  const { json, text } = await forge.guest.get('/swagger.v1.json', { site: true })
  assert.deepEqual([json.swagger, json.basePath], ['2.0', '/api/v1'])
  assert.deepEqual(Object.keys(json.securityDefinitions).toSorted(), [
    'AccessToken',
    'AuthorizationHeaderToken',
    'BasicAuth',
    'SudoHeader',
    'SudoParam',
    'TOTPHeader',
    'Token',
  ])
  assert.ok(!text.includes('"anyOf"') && !text.includes('"const"') && !text.includes('"required":[]'))
  assert.ok(!json.definitions.Repository.required.includes('parent'), 'a record cannot always hold one of its own type')
  for (const [, name] of text.matchAll(/#\/definitions\/(\w+)/g)) {
    assert.ok(json.definitions[name as string], `definition ${name}`)
  }
})

test('swaggerPage, swaggerAsset, swaggerShortcut: the page and all it loads come from the forge; switched off it is 404', async () => {
  await using forge = await startForge()
  const shown = await forge.guest.get('/api/swagger', { site: true })
  assert.match(shown.headers.get('content-type') ?? '', /^text\/html/)
  assert.doesNotMatch(shown.text, /forge\.css/, 'the style of other pages would reach into the documentation')
  assert.match(shown.text, /data-description="\/api\/openapi\/api\.json"/)
  const git = await forge.guest.get('/api/swagger?family=git', { site: true })
  assert.match(git.text, /data-description="\/api\/openapi\/git\.json"/)
  assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'self'/)
  for (const [, file] of shown.text.matchAll(/(assets\/swagger-ui\/[\w.-]+)"/g)) {
    assert.equal((await forge.guest.get(`/${file}`, { site: true })).status, 200, file)
  }
  assert.equal((await forge.guest.get('/assets/swagger-ui/..%2fpackage.json', { site: true })).status, 404)
  assert.equal((await forge.guest.get('/swagger', { site: true })).headers.get('location'), `${forge.url}/api/swagger`)
  await using unframed = await startForge({ settings: { cors: { X_FRAME_OPTIONS: 'DENY' } } })
  const { headers } = await unframed.guest.get('/api/swagger', { site: true })
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  await using off = await startForge({ settings: { api: { ENABLE_SWAGGER: false } } })
  for (const path of ['/api/swagger', '/swagger', '/assets/swagger-ui/start.js', '/swagger.v1.json']) {
    assert.equal((await off.guest.get(path, { site: true })).status, 404, path)
  }
})

test('openApiFamilyDocument: each operation outside of the API stands in the document of its family', async () => {
  await using forge = await startForge()
  assert.equal((await forge.guest.get('/api/openapi/nothing.json', { site: true })).status, 404)
  const operations = forge.services.operations()
  const families = [...new Set(operations.map(({ family }) => family))]
  const known = ['api', 'downloads', 'git', 'lfs', 'oauth2', 'runner', 'site', 'vendor']
  assert.deepEqual(families.filter((family) => !family.endsWith('-registry')).toSorted(), known)
  const described: string[] = []
  for (const family of families) {
    const { status, json } = await forge.guest.get(`/api/openapi/${family}.json`, { site: true })
    assert.equal(status, 200, family)
    for (const path of Object.values(json.paths as Record<string, Record<string, { operationId: string }>>)) {
      described.push(...Object.values(path).map(({ operationId }) => operationId))
    }
  }
  const addressOf = ({ family, method, path }: (typeof operations)[number]) => `${family} ${method} ${path}`
  const plain = new Set(operations.filter(({ whenQuery }) => whenQuery === undefined).map(addressOf))
  const expected = operations.filter((each) => each.whenQuery === undefined || !plain.has(addressOf(each)))
  assert.deepEqual(described.toSorted(), expected.map(describedId).toSorted())
})

test('openApiFamilyDocument: addresses, credentials and media types of bytes are those of the declaration', async () => {
  await using forge = await startForge()
  const { json } = await forge.guest.get('/api/openapi/git.json', { site: true })
  assert.deepEqual(json.servers, [{ url: forge.url }])
  const push = json.paths['/{owner}/{repo}/git-receive-pack'].post
  assert.deepEqual(Object.keys(push.requestBody.content), ['application/x-git-receive-pack-request'])
  assert.deepEqual(Object.keys(push.responses['200'].content), ['application/x-git-receive-pack-result'])
  assert.deepEqual(push.security, [{ token: [] }, { basic: [] }, { oauth2: [] }, { job: [] }])
  const page = (await forge.guest.get('/api/openapi/site.json', { site: true })).json.paths['/user/login'].get
  assert.deepEqual(page.security, [{ session: [] }, {}])
})
