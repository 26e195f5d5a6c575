import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOperations } from '../app.ts'
import { BadRequest } from '../lib/errors.ts'
import { parsePath, type Segment } from './path.ts'
import { Router, type Route } from './router.ts'
import { routesOf } from './routes-of.ts'
import { enumeration } from './schema.ts'

/** Returns a router whose targets are the declarations. The default method is `GET`. */
const routerOf = (...declared: readonly string[]) =>
  new Router(
    declared.map((declaration): Route<string> => {
      const [path = '', method = 'GET'] = declaration.split(' ').toReversed()
      const [bare = '', query] = path.split('?')
      const diffType = enumeration('diff', 'patch')
      return {
        method,
        segments: parsePath(bare, { diffType }),
        whenQuery: query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query)),
        target: declaration,
      }
    }),
  )

/** Returns the declaration and the values of an address, or `none`. */
const routeOf = (router: Router<string>, url: string, method = 'GET'): string => {
  const [path = '', search = ''] = url.split('?')
  const found = router.find(method, path, search)
  return found
    ? [found.target, ...Object.entries(found.params).map(([name, value]) => `${name}=${value}`)].join(' ')
    : 'none'
}

test('an address that is too short, too long, has empty segments or another letter case has no route', () => {
  const router = routerOf('/users/{name}', '/v2/{name+}/tags/list')
  for (const url of [
    '/users',
    '/users/',
    '/users//',
    '/users/a/b',
    '/Users/a',
    '/v2/tags/list',
    '/v2//tags/list',
    '*',
  ]) {
    assert.equal(routeOf(router, url), 'none', url)
  }
  assert.equal(routeOf(router, '/users/a', 'PUT'), 'none')
  assert.throws(() => router.find('GET', '/users/%zz', ''), BadRequest)
  assert.throws(() => router.methodsAt('/users/%ff'), BadRequest)
})

test('an address with a required query has no methods without it', () => {
  const router = routerOf('/{owner}/{repo}?go-get=1', 'PUT /a/b')
  assert.equal(routeOf(router, '/a/b?go-get=1'), '/{owner}/{repo}?go-get=1 owner=a repo=b')
  assert.deepEqual([router.methodsAt('/a/b'), router.methodsAt('/a/c')], [['PUT'], []])
})

test('ambiguous or invalid declarations are refused at the start', () => {
  assert.throws(() => routerOf('/a/{one}', '/a/{other}'), /two operations have the address GET \/a\/\{other\}/)
  assert.throws(() => routerOf('/a/{one+}/b/{two+}'), /more than one parameter of several segments/)
  assert.throws(() => routerOf('/a/x{one+}'), /stands alone/)
  assert.throws(() => routerOf('/a/*'), /malformed/)
  assert.throws(() => routerOf('a'), /does not begin with a slash/)
})

test('a trailing slash is ignored, escapes are decoded, and an encoded slash stays in its segment', () => {
  const router = routerOf('/branches/{name}', '/contents/{filepath+}', '/größe/{name}', '/')
  assert.equal(routeOf(router, '/branches/main/'), '/branches/{name} name=main')
  assert.equal(routeOf(router, '/branches/feature%2Fx'), '/branches/{name} name=feature/x')
  assert.equal(routeOf(router, '/branches/feature/x'), 'none')
  assert.equal(routeOf(router, '/%62ranches/main'), '/branches/{name} name=main')
  assert.equal(routeOf(router, '/contents/a%2Fb/c%20d//e'), '/contents/{filepath+} filepath=a/b/c d//e')
  assert.equal(routeOf(router, '/gr%C3%B6%C3%9Fe/%3F'), '/größe/{name} name=?')
  assert.equal(routeOf(router, '/'), '/')
})

test('the most specific declaration wins, in the order text, pattern, one segment, several segments', () => {
  const router = routerOf(
    '/{any+}',
    '/pulls/{index}',
    '/pulls/{index}.{diffType}',
    '/pulls/{index}/files',
    '/pulls/{base}/{head+}',
    '/pulls/pinned',
    'POST /pulls/pinned/files',
  )
  const wins = (url: string) => routeOf(router, url).split(' ')[0]
  assert.equal(wins('/pulls/pinned'), '/pulls/pinned')
  assert.equal(routeOf(router, '/pulls/1.2.diff'), '/pulls/{index}.{diffType} index=1.2 diffType=diff')
  assert.equal(routeOf(router, '/pulls/1.zip'), '/pulls/{index} index=1.zip')
  assert.equal(wins('/pulls/1/files'), '/pulls/{index}/files')
  assert.equal(routeOf(router, '/pulls/main/a/b'), '/pulls/{base}/{head+} base=main head=a/b')
  assert.equal(routeOf(router, '/other/x'), '/{any+} any=other/x')
  // A more specific declaration with another method does not match.
  assert.equal(wins('/pulls/pinned/files'), '/pulls/{index}/files')
  assert.deepEqual(router.methodsAt('/pulls/pinned/files').toSorted(), ['GET', 'POST'])
})

test('{name+} may stand anywhere, as in the paths of container registries and Go modules', () => {
  const router = routerOf(
    '/v2',
    '/v2/{name+}/manifests/{reference}',
    '/v2/{name+}/blobs/{digest}',
    'POST /v2/{name+}/blobs/uploads',
    'PATCH /v2/{name+}/blobs/uploads/{uuid}',
    '/v2/{name+}/tags/list',
    '/go/{module+}/@v/{file}',
    '/go/{module+}/@v/list',
    '/go/{module+}/@latest',
  )
  assert.equal(routeOf(router, '/v2/'), '/v2')
  assert.equal(
    routeOf(router, '/v2/org/team/app/manifests/sha256:ab'),
    '/v2/{name+}/manifests/{reference} name=org/team/app reference=sha256:ab',
  )
  // A name may contain the words of the protocol.
  assert.equal(
    routeOf(router, '/v2/a/manifests/b/manifests/c'),
    '/v2/{name+}/manifests/{reference} name=a/manifests/b reference=c',
  )
  assert.equal(routeOf(router, '/v2/a/blobs/uploads/', 'POST'), 'POST /v2/{name+}/blobs/uploads name=a')
  assert.equal(
    routeOf(router, '/v2/a/b/blobs/uploads/7', 'PATCH'),
    'PATCH /v2/{name+}/blobs/uploads/{uuid} name=a/b uuid=7',
  )
  assert.equal(routeOf(router, '/v2/a/b/blobs/uploads/7'), 'none')
  assert.equal(
    routeOf(router, '/go/example.com/x/@v/v1.0.0.zip'),
    '/go/{module+}/@v/{file} module=example.com/x file=v1.0.0.zip',
  )
  assert.equal(routeOf(router, '/go/example.com%2Fx/@v/list'), '/go/{module+}/@v/list module=example.com/x')
  assert.equal(routeOf(router, '/go/example.com/x/@latest'), '/go/{module+}/@latest module=example.com/x')
})

test('a declaration with a required query precedes the others of its address, but not a literal address', () => {
  const router = routerOf(
    '/{owner}/{repo}',
    '/{owner}/{repo}/raw/{path+}',
    '/{o}/{r}?go=1',
    '/{o}/{r}/{p+}?go=1',
    '/api/x',
  )
  assert.equal(routeOf(router, '/a/b'), '/{owner}/{repo} owner=a repo=b')
  assert.equal(routeOf(router, '/a/b?x=1&go=1'), '/{o}/{r}?go=1 o=a r=b')
  assert.equal(routeOf(router, '/a/b/raw/c?go=1'), '/{o}/{r}/{p+}?go=1 o=a r=b p=raw/c')
  assert.equal(routeOf(router, '/a/b/raw/c?go=2'), '/{owner}/{repo}/raw/{path+} owner=a repo=b path=c')
  assert.equal(routeOf(router, '/a/b/other'), 'none')
  assert.equal(routeOf(router, '/api/x?go=1'), '/api/x')
  assert.deepEqual(routerOf('/{o}/{r}?go=1', '/{o}/{r}/{p+}?go=1').methodsAt('/a/b'), [])
})

/** Returns whether a declaration matches, by a regular expression instead of the router. */
function matcherOf(segments: readonly Segment[]): RegExp {
  const source = segments.map((segment) => {
    if (segment.kind === 'text') return segment.text.replace(/[.*+?^${}()|[\]\\@-]/g, '\\$&')
    if (segment.kind === 'pattern') return segment.pattern.source.slice(1, -1).replaceAll('.+', '[^/]+')
    return segment.kind === 'param' ? '[^/]+' : '.+'
  })
  // A first segment `api` matches only literal text.
  const start = segments[0]?.kind === 'text' ? '^/' : '^/(?!api(?:/|$))'
  return new RegExp(`${start}${source.join('/')}$`)
}

const ranks: Readonly<Record<Segment['kind'], number>> = { text: 0, pattern: 1, param: 2, rest: 3 }

/** Compares declarations by the precedence that `Router` documents. */
function bySpecificity(one: readonly Segment[], other: readonly Segment[]): number {
  for (const [index, left] of one.entries()) {
    const right = other[index]
    if (!right) return -1
    if (left.kind !== right.kind) return ranks[left.kind] - ranks[right.kind]
    if (left.kind === 'pattern' && right.kind === 'pattern' && left.textLength !== right.textLength) {
      return right.textLength - left.textLength
    }
    if (left.kind === 'rest' && one.length !== other.length) return other.length - one.length
  }
  return 0
}

test('the most specific matching operation answers for any values of a path', () => {
  const routes = routesOf(allOperations())
    .filter(({ whenQuery }) => whenQuery === undefined)
    .map((route) => ({ ...route, matcher: matcherOf(route.segments) }))
  const router = new Router(routes)
  // Declarations that can match an address of a method with a number of segments.
  const candidates = (method: string, length: number) =>
    routes.filter(
      (route) =>
        route.method === method &&
        (route.segments.some(({ kind }) => kind === 'rest')
          ? route.segments.length <= length
          : route.segments.length === length),
    )
  const known = new Map<string, typeof routes>()
  // Values that are literals of other declarations are the ones that could match the wrong route.
  const textsAt = new Map<number, Set<string>>()
  for (const { segments } of routes) {
    for (const [index, segment] of segments.entries()) {
      if (segment.kind !== 'text') continue
      textsAt.set(index, (textsAt.get(index) ?? new Set()).add(segment.text))
    }
  }
  let compared = 0
  let contested = 0
  for (const { method, segments } of routes) {
    const plain = segments.map((segment) => {
      if (segment.kind === 'text') return segment.text
      if (segment.kind === 'param') return 'x'
      if (segment.kind === 'rest') return 'x/y'
      const [, first = ''] = /\(([\w-]+)[|)]/.exec(segment.pattern.source) ?? []
      return segment.names.length === 1 ? first : `x.${first}`
    })
    const paths = new Set([`/${plain.join('/')}`])
    for (const [index, segment] of segments.entries()) {
      if (segment.kind === 'text') continue
      for (const text of textsAt.get(index) ?? []) paths.add(`/${plain.with(index, text).join('/')}`)
    }
    for (const path of paths) {
      const length = path.split('/').length - 1
      const key = `${method} ${length}`
      const some = known.get(key) ?? candidates(method, length)
      known.set(key, some)
      const fitting = some.filter((route) => route.matcher.test(path))
      const [best] = fitting.toSorted((one, other) => bySpecificity(one.segments, other.segments))
      if (!best) continue
      compared += 1
      if (fitting.length > 1) contested += 1
      assert.equal(router.find(method, path, '')?.target.id, best.target.id, `${method} ${path}`)
    }
  }
  assert.ok(compared > routes.length && contested > 50, `${compared} compared, ${contested} of them contested`)
})
