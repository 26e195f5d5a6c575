/**
 * The reads of the declared operations: their addresses for what an attack has stored. A parameter gets its values from the
 * attack, from the list at the parent address, or from links of pages, so a new page or operation is measured without
 * further work.
 */

/** Operations that no address can be made for, with the reason. */
const left = {
  adminWatchAuditLog: 'a stream',
  adminWatchEvents: 'a stream',
}

/** Most addresses of one operation for one attack, and most of its links with other query parameters. */
const mostAddresses = 3
const mostQueries = 2

const rootOf = { api: '/api/v1', vendor: '/api/forgejo/v1', site: '' }
/** Fields of an item of a list that name it in an address, most specific first. */
const namingFields = ['rule_name', 'number', 'path', 'id', 'name', 'login', 'username', 'sha', 'ref']

const encoded = (value, isRest) =>
  isRest ? String(value).split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const patternOf = (path) => {
  const parts = path
    .split(/(\{[\w-]+\+?\})/)
    .map((part) => (!part.startsWith('{') ? escaped(part) : part.endsWith('+}') ? '.+' : '[^/]+'))
  return new RegExp(`^${parts.join('')}$`)
}

const schemaValues = (schema) => {
  const some = schema?.enum ?? schema?.anyOf?.flatMap((each) => each.const ?? each.enum ?? [])
  return some?.length > 0 ? some : schema?.type === 'boolean' ? [true, false] : []
}

/** Whether the body of a reply is a file: its size is that of the file. */
const isFile = ({ reply, family }) =>
  family.endsWith('-registry') ||
  family === 'git' ||
  family === 'lfs' ||
  Object.values(reply).some(
    (shape) =>
      typeof shape === 'object' && 'mediaTypes' in shape && !shape.mediaTypes.some((type) => /html|json/.test(type)),
  )

/**
 * The declared operations that read, with what a measurement needs of each. A stream is one of them, so that its address
 * is not taken for that of another operation; it is not measured, because it does not end.
 * @param ids parts of ids of the measured ones; undefined: all
 */
export function readsOf(operations, ids) {
  return operations
    .filter(({ method }) => method === 'GET')
    .map((operation) => {
      const path = rootOf[operation.base] + operation.path
      const literal = path.replaceAll(/\{[\w-]+\+?\}/g, '')
      return {
        id: operation.id,
        path,
        isMeasured:
          !operation.lasts && !(operation.id in left) && (ids?.some((each) => operation.id.includes(each)) ?? true),
        query: operation.query,
        params: operation.params,
        whenQuery: operation.whenQuery,
        isAdmin: /\/admin(?:\/|$)/.test(path),
        isPage: operation.accepts.length === 1 && operation.accepts[0] === 'session',
        isFile: isFile(operation),
        isExpensive: operation.cost === 'expensive',
        pattern: patternOf(path),
        weight: literal.length,
      }
    })
}

/** The addresses of an attack, each once; `add…` says what else is known, `take` removes the next one. */
export class Addresses {
  #reads
  #places
  #lists
  #waiting = []
  #readAt = new Map()
  #seen = new Set()
  #counts = new Map()

  /** @param places values by parameter, by `segment.parameter` or by `operation.parameter`; a list for several */
  constructor(reads, places) {
    this.#reads = reads.toSorted((one, other) => other.weight - one.weight)
    this.#places = places
    this.#lists = reads.flatMap(({ path }) => {
      const match = /^(.*\/([^/{}]+))\/\{([\w-]+)\+?\}/.exec(path)
      return match === null ? [] : [{ parent: patternOf(match[1]), last: match[3], key: `${match[2]}.${match[3]}` }]
    })
    for (const read of reads) this.#addTargets(read)
  }

  take = () => this.#waiting.shift()

  /** Adds the links of a page. */
  addLinks(html, at) {
    for (const [, link] of html.matchAll(/\s(?:href|src|action|data-[\w-]+)="([^"#]+)/g)) {
      if (!URL.canParse(link, `http://x${at}`)) continue
      const url = new URL(link.replaceAll('&amp;', '&'), `http://x${at}`)
      if (url.host !== 'x') continue
      const read = this.#find(url.pathname)
      // Another attack's account has its own turn.
      if (read === undefined || !this.#isOwn(read, url.pathname)) continue
      this.#add(read, url.pathname + url.search)
    }
  }

  /** Adds what the items of a list name: `/labels` leads to `/labels/{id}`. */
  addItems(path, items) {
    const named = [items.at(0), items.at(-1)].filter((item) => typeof item === 'object' && item !== null)
    for (const { parent, last, key } of this.#lists) {
      if (!parent.test(path)) continue
      const values = (this.#places[key] ??= [])
      const before = values.length
      for (const item of named) {
        const field = [last, ...namingFields].find((name) => ['string', 'number'].includes(typeof item[name]))
        if (field !== undefined && !values.includes(item[field])) values.push(item[field])
      }
      if (values.length === before) continue
      const [segment, name] = key.split('.')
      for (const read of this.#reads.filter((each) => each.path.includes(`${segment}/{${name}`))) this.#addTargets(read)
    }
  }

  /** Adds a request for each value that the query parameters of an operation declare. */
  addQueries(read, address) {
    if (address.includes('?')) return
    for (const [name, schema] of Object.entries(read.query)) {
      if (name in (read.whenQuery ?? {})) continue
      const asked = this.#places[`?${read.id}.${name}`] ?? this.#places[`?${name}`] ?? schemaValues(schema)
      for (const value of asked) this.#add(read, `${address}?${name}=${encodeURIComponent(value)}`, true)
    }
  }

  #addTargets(read) {
    for (const path of this.#pathsOf(read)) this.#add(read, path)
  }

  /** The operation at an address; the one with the most literal characters wins. */
  #find(pathname) {
    if (!this.#readAt.has(pathname)) {
      this.#readAt.set(
        pathname,
        this.#reads.find(({ pattern }) => pattern.test(pathname)),
      )
    }
    return this.#readAt.get(pathname)
  }

  #isOwn(read, pathname) {
    const owner = /\{(?:username|org)\}/.exec(read.path)
    if (owner === null) return true
    const own = [this.#places.username, this.#places.org].flat()
    return own.includes(pathname.split('/')[read.path.slice(0, owner.index).split('/').length - 1])
  }

  #add(read, path, isQuery = false) {
    if (!read.isMeasured) return
    if (read.whenQuery !== undefined && !path.includes('?')) path += `?${new URLSearchParams(read.whenQuery)}`
    if (this.#seen.has(path)) return
    // A link with other query parameters is another page.
    const names = [...new Set(new URLSearchParams(path.split('?')[1]).keys())].join('&')
    const key = `${read.id}?${names}`
    const count = this.#counts.get(key) ?? 0
    if (count >= (isQuery || names !== '' ? mostQueries : mostAddresses)) return
    this.#counts.set(key, count + 1)
    this.#seen.add(path)
    this.#waiting.push({ read, path, isQuery })
  }

  #pathsOf(read) {
    let paths = ['']
    for (const part of read.path.split(/(\{[\w-]+\+?\})/)) {
      if (!part.startsWith('{')) {
        paths = paths.map((path) => path + part)
        continue
      }
      const name = part.replaceAll(/[{}+]/g, '')
      const isRest = part.endsWith('+}')
      paths = paths
        .flatMap((path) => this.#valuesOf(read, name, path).map((value) => path + encoded(value, isRest)))
        .slice(0, mostAddresses)
    }
    return paths
  }

  #valuesOf(read, name, before) {
    const segment = before.split('/').at(-2)
    const places = this.#places
    return [
      places[`${read.id}.${name}`] ?? places[`${segment}.${name}`] ?? places[name] ?? schemaValues(read.params[name]),
    ]
      .flat()
      .slice(0, mostAddresses)
  }
}
