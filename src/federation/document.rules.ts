import { JsonSize } from '../http/json-size.ts'
import { maxUrlLength } from './address.rules.ts'
import { wordTable } from '../lib/word-table.ts'

/**
 * A strict reader of JSON-LD in the compacted form in which servers send it (ActivityStreams 2.0, 2.1). No context is fetched:
 * the terms that are read here have the meaning that ActivityStreams, the security vocabulary and ForgeFed give them. A
 * document that gives one of them another meaning is refused, since others would read it differently.
 */
export type Document = Readonly<Record<string, unknown>>

/** The terms that are read here, beside the keywords of JSON-LD. */
const readTerms = new Set(
  (
    'id type as sec forge actor object target result instrument to cc bto bcc audience name nameMap summary content contentMap ' +
    'mediaType source published updated startTime url href icon inbox outbox followers following endpoints sharedInbox ' +
    'preferredUsername publicKey owner publicKeyPem attributedTo inReplyTo context items orderedItems totalItems tracks ' +
    'ticketsTrackedBy sendPatchesTo'
  ).split(' '),
)

/** Where these terms are defined; a prefix of the same name stands for it. */
const vocabularies = wordTable<string>({
  as: 'https://www.w3.org/ns/activitystreams#',
  sec: 'https://w3id.org/security#',
  forge: 'https://forgefed.org/ns#',
  ldp: 'http://www.w3.org/ns/ldp#',
})

/** Nesting of what is read; inner objects are read two levels deep. */
const maxContexts = 20

/** Whether a context leaves the terms that are read here as they are. */
export function isHarmlessContext(context: unknown): boolean {
  if (context === undefined || context === null || typeof context === 'string') return true
  if (Array.isArray(context)) return context.length <= maxContexts && context.every(isHarmlessContext)
  if (typeof context !== 'object') return false
  return Object.entries(context).every(([term, definition]) => {
    if (term === '@import' || term === '@base') return false
    // An alias of a keyword (`"kind": "@type"`) makes two members of one name; those of `id` and `type` are the usual ones.
    const meaning = meaningOf(definition)
    if (!readTerms.has(term) && !term.startsWith('@')) return meaning === undefined || !meaning.startsWith('@')
    if (term === '@vocab' || term === '@language' || term === '@version' || term === '@protected') return true
    if (term.startsWith('@')) return false
    return meaning === undefined ? false : isUsualMeaning(term, meaning)
  })
}

function meaningOf(definition: unknown): string | undefined {
  if (typeof definition === 'string') return definition
  if (typeof definition !== 'object' || definition === null) return undefined
  const id: unknown = Reflect.get(definition, '@id')
  return typeof id === 'string' ? id : undefined
}

function isUsualMeaning(term: string, meaning: string): boolean {
  if (term === 'id' || term === 'type') return meaning === `@${term}`
  if (Object.hasOwn(vocabularies, term)) return meaning === vocabularies[term]
  const [prefix = '', name = ''] = meaning.split(':', 2)
  const iri = Object.hasOwn(vocabularies, prefix) ? `${vocabularies[prefix]}${name}` : meaning
  const local = term === 'sharedInbox' || term === 'endpoints' ? term : term.replace(/Map$/, '')
  return Object.values(vocabularies).some((vocabulary) => iri === `${vocabulary}${local}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * A JSON value of bytes; undefined when they are none.
 * @throws TooLarge for what is nested too deep or holds too many values
 */
export function parseJson(bytes: Buffer): { readonly value: unknown } | undefined {
  new JsonSize().add(bytes)
  try {
    return { value: JSON.parse(utf8.decode(bytes)) as unknown }
  } catch {
    return undefined
  }
}

export const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a member, without control characters; undefined when it is none or longer than `maxLength` characters. */
export function textOf(document: Document, name: string, maxLength = 1000): string | undefined {
  const value = Object.hasOwn(document, name) ? document[name] : undefined
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return undefined
  return value
}

/** One line of plain text for people: no control characters and none that turn the direction of a text. */
export const plainLine = (text: string, maxLength: number): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()

/** The type of an object; of several the first, as those that come after only add to it. */
export function typeOf(document: Document): string | undefined {
  const value = document['type']
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first.length <= 100 ? first : undefined
}

/** The address that a member names, by itself or by the `id` of an object. */
export function idOf(value: unknown): string | undefined {
  const id = isDocument(value) ? value['id'] : value
  return typeof id === 'string' && id.length <= maxUrlLength ? id : undefined
}

/** The object of a member, when it is there whole and means what it says. */
export function innerDocument(document: Document, name: string): Document | undefined {
  const value = document[name]
  return isDocument(value) && isHarmlessContext(value['@context']) ? value : undefined
}

/** Most addresses of one member that are looked at. */
const maxAddresses = 200

/** The addresses of a member: one, or a list. */
export function addressesOf(document: Document, ...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = document[name]
    const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxAddresses) : [value]
    return values.flatMap((each) => idOf(each) ?? [])
  })
}

/** The first address of `url`, which may be a text, a link, or a list of them. */
export function pageOf(document: Document): string | undefined {
  const { url } = document
  const first: unknown = Array.isArray(url) ? url[0] : url
  const address = isDocument(first) ? first['href'] : first
  return typeof address === 'string' && address.length <= maxUrlLength ? address : undefined
}
