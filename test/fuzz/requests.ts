import { isBytes, isPage, type NamedOperation } from '../../src/http/operation.ts'
import type { dice } from '../../src/testing/dice.ts'
import { base64, onePixel } from '../../src/testing/samples.ts'
import { csrfName } from '../../src/web/ui/page-context.ts'
import type { Caller, World } from './world.ts'

type Dice = ReturnType<typeof dice>

/** The target of a request, from existing things. */
interface About {
  readonly world: World
  /** The address of the repository or organization. */
  readonly holderPath: string
  readonly repo: readonly [owner: string, name: string]
  readonly caller: Caller
}

const roots = { api: '/api/v1', vendor: '/api/service/v1', site: '' } as const

export interface FuzzRequest {
  readonly caller: Caller
  readonly operation: NamedOperation
  readonly method: string
  /** Below the root of the site. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | FormData | undefined
  /** The body, shortened for a report. */
  readonly shown: string
}

interface BodySchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[]
  readonly items?: BodySchema
  readonly anyOf?: readonly BodySchema[]
}

const oddTexts = [
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '-1',
  '--upload-pack=x',
  'a/b',
  'a//b',
  'a\\b',
  'refs/heads/main',
  'HEAD',
  '@{-1}',
  'main..topic',
  'main...other:topic',
  'x'.repeat(300),
  '\u{1F600}',
  '\u202e\ufeff',
  '\ud800',
  'é'.normalize('NFD'),
  "'; drop table user --",
  '%00',
  '%2e%2e%2f',
  'a\nb',
  'a\tb',
  '__proto__',
  'constructor',
  'null',
  'true',
  'NaN',
  '1e999',
  '0x10',
  '9223372036854775807',
  '2030-13-45T99:99:99Z',
  '0000-00-00T00:00:00Z',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  '*'.repeat(50),
  '('.repeat(50),
  '[a](b)'.repeat(20),
  '0'.repeat(40),
  'f'.repeat(40),
  'f'.repeat(64),
  'deadbee',
  'http://127.0.0.1:9/',
  'javascript:alert(1)',
  'a@b',
  'ssh-ed25519 AAAA',
]

const oddNumbers = [0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 999_999_999]
const oddTimes = ['2030-01-02T03:04:05Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00', '1969-12-31T23:59:59Z']
const oddValues: readonly unknown[] = [null, true, 0, -1, '', 'text', [], {}, [null], [[]], { a: { b: 1 } }, 1e308]

/** Members and parameters that hold values of another name. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [
    /^(assignees?|reviewers|username|login|owner|new_owner|user|collaborator|target|mentioned|usernames?|doer|poster)$/,
    'login',
  ],
  [/^(organization|org|team_reviewers)$/, 'org'],
  [/branch|^(base|head|from|to|ref|old_ref_name|target|target_commitish)$/i, 'branch'],
  [/sha|commit|^(ref|tree|basehead|oid|revision|since|digest)$/i, 'sha'],
  [/path|^(file|filename|treepath)$/i, 'path'],
  [/^(index|number|newindex|position)$/i, 'number'],
  [/tag/, 'tag_name'],
  [/uuid/, 'uuid'],
  [/hash/, 'avatar'],
  [/^team$/, 'teams name'],
  [/label/, 'labels id'],
  [/milestone/, 'milestones id'],
  [/page/i, 'sub_url'],
]

/** Generates plausible requests from the declared operations with existing values and, sometimes, missing ones. */
export class Requests {
  readonly #dice: Dice
  readonly #operations: readonly NamedOperation[]

  constructor(roll: Dice, operations: readonly NamedOperation[]) {
    this.#dice = roll
    this.#operations = operations
  }

  next(world: World): FuzzRequest {
    const operation = this.#dice.of(this.#operations)
    const repo = this.#dice.of(world.repos)
    const holderPath = operation.path.includes('{reponame}') ? `/repos/${repo.join('/')}` : `/orgs/${world.orgs[0]}`
    const caller = this.#dice.of(world.callers)
    const about = { world, holderPath, repo, caller }
    const path = `${roots[operation.base]}${this.#path(operation, about)}${this.#query(operation, about)}`
    return { caller, operation, method: operation.method, path, ...this.#body(operation, about) }
  }

  #path({ path }: NamedOperation, about: About): string {
    const { of, chance } = this.#dice
    const [owner, repo] = about.repo
    const isInRepo = path.includes('{reponame}')
    const parts = path.split('/')
    return parts
      .map((part, at) =>
        part.replace(/\{([\w-]+)(\+?)\}/g, (_, name: string, rest: string) => {
          const value = ((): string => {
            if (chance(4)) return of(oddTexts)
            if (isInRepo && name === 'username' && at === 2) return owner
            if (isInRepo && name === 'reponame') return repo
            return String(this.#named(name, parts[at - 1] ?? '', about))
          })()
          // Clients resolve these segments, so the address would be that of another operation.
          const sent = /^\.{1,2}$/.test(value) ? `${value}-` : value
          const encoded = encodeURIComponent(sent.toWellFormed())
          return rest === '+' ? encoded.replaceAll('%2F', '/') : encoded
        }),
      )
      .join('/')
  }

  /** A known value for a name: ids by their list, others by their member. */
  #named(name: string, list: string, { world, holderPath }: About): string | number {
    const { of, chance } = this.#dice
    const { known, logins, orgs } = world
    if (/^(org|organization)$/.test(name)) return of(orgs)
    if (/^(username|login|owner|timetrackingusername|usernames?|assignees?|reviewers)$/.test(name)) return of(logins)
    if (/branch|^(base|head|old_ref_name|target_commitish)$/i.test(name)) {
      return of(['main', 'topic', 'topic', ...known.of(`${holderPath} branches name`)])
    }
    if (/^(ref|sha|target|basehead)$/.test(name) && chance(40)) return of(['main', 'topic', 'HEAD', 'main...topic'])
    const kinds = [`${list} ${name}`]
    if (/id|^(comment|run|position|number)$/.test(name)) kinds.push(`${list} id`)
    if (/^index$/.test(name)) kinds.push(`${list} number`)
    for (const [pattern, kind] of synonyms) if (pattern.test(name)) kinds.push(kind)
    kinds.push(`${list} name`, name, ...(/id/.test(name) ? ['id'] : []), 'name')
    // Usually a value of this parent, sometimes one of another.
    const all = chance(90) ? [...kinds.map((kind) => `${holderPath} ${kind}`), ...kinds] : kinds
    for (const kind of all) {
      const values = known.of(kind)
      if (values.length > 0) return of(values)
    }
    return of([1, 'main', 'x'])
  }

  #query({ query }: NamedOperation, about: About): string {
    const { of, chance } = this.#dice
    const pairs: string[] = []
    for (const [name, schema] of Object.entries(query)) {
      if (!chance(35)) continue
      const value = chance(25) ? of(oddTexts) : this.#value(schema as BodySchema, name, about, 0)
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`)
    }
    if (chance(1)) pairs.push(`sudo=${of(about.world.logins)}`)
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  #body(operation: NamedOperation, about: About): Pick<FuzzRequest, 'body' | 'headers' | 'shown'> {
    const { of, chance } = this.#dice
    const { body } = operation
    if (operation.method === 'GET') return { body: undefined, headers: {}, shown: '' }
    if (isPage(operation) && !isBytes(body)) return this.#form(body as BodySchema, about)
    if (body === undefined || isBytes(body)) {
      if (body !== undefined && /assets|attachments|files/.test(operation.path) && chance(60)) {
        const form = new FormData()
        form.set('attachment', new File([this.#bytes()], of(['a.txt', 'a.png', '../x', of(oddTexts)]).toWellFormed()))
        return { body: form, headers: {}, shown: 'a form' }
      }
      if (body === undefined && chance(80)) return { body: undefined, headers: {}, shown: '' }
      const bytes = this.#bytes()
      const type = of(['application/json', 'application/octet-stream', 'text/plain', 'multipart/form-data; boundary=x'])
      return { body: bytes, headers: { 'content-type': type }, shown: `${bytes.toString('latin1')} as ${type}` }
    }
    if (chance(3)) {
      const text = of(['', '{', '[]', 'null', '"x"', '1', '{"a":', '\u0000', '[[[[', '{"__proto__":{"a":1}}'])
      return { body: text, headers: { 'content-type': 'application/json' }, shown: text }
    }
    const value = this.#value(body as BodySchema, '', about, 0)
    if (operation.base === 'site' && typeof value === 'object' && value !== null && chance(70)) {
      const fields = Object.entries(value).map(([name, each]): [string, string] => [name, String(each)])
      const text = new URLSearchParams(fields).toString()
      return { body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' }, shown: text }
    }
    const text = JSON.stringify(value)
    return { body: text, headers: { 'content-type': 'application/json' }, shown: text }
  }

  /** A form of a page of this site; without one, the sender would be refused before anything is read. */
  #form(schema: BodySchema | undefined, about: About): Pick<FuzzRequest, 'body' | 'headers' | 'shown'> {
    const fields = new URLSearchParams()
    for (const [name, value] of Object.entries(this.#value(schema ?? { type: 'object' }, '', about, 0) ?? {})) {
      for (const each of Array.isArray(value) ? value : [value]) fields.append(name, String(each).toWellFormed())
    }
    fields.set(csrfName, about.caller.browser.cookies.get(csrfName) ?? '')
    const text = fields.toString()
    return { body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' }, shown: text }
  }

  #bytes(): Buffer<ArrayBuffer> {
    const { of, below } = this.#dice
    return of([
      Buffer.from(onePixel, 'base64'),
      Buffer.from(Array.from({ length: below(200) }, () => below(256))),
      Buffer.alloc(0),
      Buffer.from('{}'),
      Buffer.from('0000'),
      Buffer.from('{"name":"x","version":"1.0.0"}'),
      Buffer.from('<a/>'),
      Buffer.from('PK\u0003\u0004'),
      Buffer.from('1f8b0800000000000003030000000000000000', 'hex'),
    ])
  }

  #value(schema: BodySchema, name: string, about: About, depth: number): unknown {
    const { of, chance, below } = this.#dice
    if (depth > 0 && chance(4)) return of(oddValues)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return chance(92) ? of(schema.enum) : of(oddTexts)
    if (schema.anyOf) return this.#value(of(schema.anyOf), name, about, depth)
    switch (schema.type) {
      case 'object': {
        const required = new Set(schema.required)
        const members = Object.entries(schema.properties ?? {})
          .filter(([each]) => chance(required.has(each) ? 96 : 45))
          .map(([each, member]) => [each, this.#value(member, each, about, depth + 1)])
        return Object.fromEntries(members)
      }
      case 'array':
        return depth > 5
          ? []
          : Array.from({ length: below(4) }, () => this.#value(schema.items ?? {}, name, about, depth + 1))
      case 'integer':
      case 'number':
        return chance(85) ? Number(this.#named(name, `${name}s`, about)) || 1 : of(oddNumbers)
      case 'boolean':
        return chance(50)
      case 'null':
        return null
      case 'string':
      case undefined:
      default:
        return this.#text(schema, name, about)
    }
  }

  #text({ format }: BodySchema, name: string, about: About): unknown {
    const { of, chance } = this.#dice
    if (chance(12)) return of(oddTexts)
    if (format === 'date-time' || /date|_at$|^(since|before|due)/.test(name)) return of(oddTimes)
    if (/content/.test(name)) return of([base64('text\n'), base64(''), 'no base64 !', onePixel])
    if (/color/.test(name)) return of(['#ff0000', 'ff0000', '#f00'])
    if (/email/.test(name)) return of(['a@example.com', 'b@example.invalid'])
    if (/url|addr|website|uri/.test(name)) return of(['http://127.0.0.1:9/x', 'https://a.invalid/b.git'])
    if (/password/.test(name)) return 'Passw0rd!'
    if (/^(body|text|description|message|title|note)$/i.test(name)) return of(['a text', '- [ ] one\n', of(oddTexts)])
    return String(this.#named(name, `${name.replace(/s$/, '')}s`, about))
  }
}
