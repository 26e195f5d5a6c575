import { BadRequest } from '../lib/errors.ts'
import { decodeRawComponent, withUtf8Escapes } from '../lib/file-names.ts'
import { splitPath, type Segment } from './path.ts'

/** A declared path and its target. */
export interface Route<Target> {
  readonly method: string
  readonly segments: readonly Segment[]
  /** Required query parameters; the operation takes precedence over others at its address. */
  readonly whenQuery?: Readonly<Record<string, string>> | undefined
  readonly target: Target
}

/** The route of a request. */
export interface RouteMatch<Target> {
  readonly target: Target
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
}

interface Leaf<Target> {
  readonly route: Route<Target>
  readonly names: readonly string[]
}

interface Node<Target> {
  readonly texts: Map<string, Node<Target>>
  readonly patterns: { readonly segment: Segment & { kind: 'pattern' }; readonly node: Node<Target> }[]
  param: Node<Target> | undefined
  /** Continuations after several segments, by their number of segments, largest first. */
  readonly rests: { readonly tailLength: number; readonly node: Node<Target> }[]
  /** Routes that require a query; they take precedence. */
  readonly queryRests: { readonly tailLength: number; readonly node: Node<Target> }[]
  readonly leaves: Leaf<Target>[]
}

const newNode = <Target>(): Node<Target> => ({
  texts: new Map(),
  patterns: [],
  param: undefined,
  rests: [],
  queryRests: [],
  leaves: [],
})

/** A first segment that no parameter matches: `/api` and what is below it are no pages of an account. */
const apiRoot = 'api'

type Visit<Target> = (leaf: Leaf<Target>) => boolean

/**
 * Finds the most specific route of an address. Routes are compared segment by segment from the left; the first
 * difference decides, in this order:
 *
 * 1. a `{name+}` of a route with a required query (`whenQuery`);
 * 2. a literal text;
 * 3. a pattern, the one with more literal text first;
 * 4. `{name}`;
 * 5. `{name+}`, the one with more segments after it first.
 *
 * A first segment `api` matches only its literal text. At the same path, a route with a required query precedes one
 * without. A route of another method does not match, so a less specific route may answer. Ambiguous routes throw at the start.
 */
export class Router<Target> {
  readonly #root: Node<Target> = newNode()

  constructor(routes: Iterable<Route<Target>>) {
    for (const route of routes) this.#add(route)
  }

  /**
   * @param path as sent, without the query
   * @param search the query as sent, without the question mark
   * @throws BadRequest when an escape is malformed
   */
  find(method: string, path: string, search: string): RouteMatch<Target> | undefined {
    if (!path.startsWith('/')) return undefined
    const values: string[] = []
    let query: URLSearchParams | undefined
    let found: RouteMatch<Target> | undefined
    const refuseStray = strayBytes<Target>(path)
    walk(this.#root, decodedSegments(path), values, search !== '', ({ route, names }) => {
      if (route.method !== method) return false
      refuseStray(route)
      if (route.whenQuery) {
        query ??= new URLSearchParams(search)
        for (const name in route.whenQuery) if (query.get(name) !== route.whenQuery[name]) return false
      }
      const params: Record<string, string> = {}
      for (let index = 0; index < names.length; index++) params[names[index] as string] = values[index] as string
      found = { target: route.target, params }
      return true
    })
    return found
  }

  /** Returns the methods of the routes at this address without a query. */
  methodsAt(path: string): string[] {
    if (!path.startsWith('/')) return []
    const methods = new Set<string>()
    const refuseStray = strayBytes<Target>(path)
    walk(this.#root, decodedSegments(path), [], false, ({ route }) => {
      refuseStray(route)
      // A route that requires a query is not counted.
      if (route.whenQuery === undefined) methods.add(route.method)
      return false
    })
    return [...methods]
  }

  #add(route: Route<Target>): void {
    let node = this.#root
    for (const [index, segment] of route.segments.entries()) {
      if (segment.kind === 'text') {
        node = entry(node.texts, segment.text)
      } else if (segment.kind === 'param') {
        node = node.param ??= newNode()
      } else if (segment.kind === 'pattern') {
        node = patternNode(node.patterns, segment)
      } else {
        node = restNode(route.whenQuery ? node.queryRests : node.rests, route.segments.length - index - 1)
      }
    }
    const names = route.segments.flatMap((segment) => (segment.kind === 'text' ? [] : segment.names))
    const condition = JSON.stringify(route.whenQuery)
    for (const other of node.leaves) {
      if (other.route.method === route.method && JSON.stringify(other.route.whenQuery) === condition) {
        throw new Error(`two operations have the address ${route.method} ${written(route.segments)}`)
      }
    }
    if (route.whenQuery) node.leaves.unshift({ route, names })
    else node.leaves.push({ route, names })
  }
}

function entry<Target>(nodes: Map<string, Node<Target>>, key: string): Node<Target> {
  let node = nodes.get(key)
  if (!node) nodes.set(key, (node = newNode()))
  return node
}

function patternNode<Target>(known: Node<Target>['patterns'], segment: Segment & { kind: 'pattern' }): Node<Target> {
  const same = known.find((each) => each.segment.pattern.source === segment.pattern.source)
  if (same) return same.node
  const node = newNode<Target>()
  known.push({ segment, node })
  known.sort(
    ({ segment: one }, { segment: other }) =>
      other.textLength - one.textLength || (one.pattern.source < other.pattern.source ? -1 : 1),
  )
  return node
}

function restNode<Target>(known: Node<Target>['rests'], tailLength: number): Node<Target> {
  const same = known.find((each) => each.tailLength === tailLength)
  if (same) return same.node
  const node = newNode<Target>()
  known.push({ tailLength, node })
  known.sort((one, other) => other.tailLength - one.tailLength)
  return node
}

const written = (segments: readonly Segment[]): string =>
  segments.map((segment) => `/${segment.kind === 'text' ? segment.text : `{${segment.names.join('}{')}}`}`).join('')

/** Splits an address into decoded segments; an encoded slash does not split. */
function decodedSegments(path: string): string[] {
  const segments = splitPath(path)
  if (!path.includes('%')) return segments
  try {
    return segments.map((segment) => decodeRawComponent(segment))
  } catch {
    throw malformed()
  }
}

const malformed = () => new BadRequest('the address is malformed')

/** Escapes that may belong to a byte outside of UTF-8. */
const rawEscape = /%[89a-f]/i

/**
 * Returns a check that refuses an address whose bytes are not UTF-8 outside of the parameter of several segments, which names
 * a file. @throws BadRequest
 */
function strayBytes<Target>(path: string): (route: Route<Target>) => void {
  if (!rawEscape.test(path)) return () => undefined
  const sent = splitPath(path)
  const raw = [...sent.keys()].filter((index) => withUtf8Escapes(sent[index] as string) !== sent[index])
  return ({ segments }) => {
    const rest = segments.findIndex(({ kind }) => kind === 'rest')
    const end = sent.length - (segments.length - 1 - rest)
    if (raw.some((index) => rest === -1 || index < rest || index >= end)) throw malformed()
  }
}

/**
 * Calls `visit` with each matching leaf, the most specific first, until it returns true.
 * @param values the parameter values of the visited leaf; valid only during the call
 * @param withQuery whether the request has a query
 */
function walk<Target>(
  node: Node<Target>,
  segments: readonly string[],
  values: string[],
  withQuery: boolean,
  visit: Visit<Target>,
  at = 0,
): boolean {
  if (withQuery && walkRests(node.queryRests, segments, values, withQuery, visit, at)) return true
  if (at === segments.length) return node.leaves.some(visit)
  const segment = segments[at] as string
  // An empty segment matches only a parameter of several segments.
  if (segment !== '') {
    const text = node.texts.get(segment)
    if (text && walk(text, segments, values, withQuery, visit, at + 1)) return true
    if (at === 0 && segment === apiRoot) return false
    const before = values.length
    for (const { segment: pattern, node: next } of node.patterns) {
      const found = pattern.pattern.exec(segment)
      if (!found) continue
      values.push(...found.slice(1))
      if (walk(next, segments, values, withQuery, visit, at + 1)) return true
      values.length = before
    }
    if (node.param) {
      values.push(segment)
      if (walk(node.param, segments, values, withQuery, visit, at + 1)) return true
      values.length = before
    }
  }
  return walkRests(node.rests, segments, values, withQuery, visit, at)
}

function walkRests<Target>(
  rests: Node<Target>['rests'],
  segments: readonly string[],
  values: string[],
  withQuery: boolean,
  visit: Visit<Target>,
  at: number,
): boolean {
  const before = values.length
  for (const { tailLength, node } of rests) {
    const end = segments.length - tailLength
    if (end <= at) continue
    const rest = segments.slice(at, end).join('/')
    if (rest === '') continue
    values.push(rest)
    if (walk(node, segments, values, withQuery, visit, end)) return true
    values.length = before
  }
  return false
}
