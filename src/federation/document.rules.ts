import { JsonSize } from '../http/json-size.ts'
import { maxUrlLength } from './address.rules.ts'
import { wordTable } from '../lib/word-table.ts'

/**
 * A JSON-LD document in the compacted form that servers send (ActivityStreams 2.0, 2.1). The server never fetches
 * contexts: terms have the meaning of ActivityStreams, the security vocabulary and ForgeFed, and a document that
 * redefines one is refused. Reading therefore needs no network, and its time does not depend on foreign contexts.
 */
export type Document = Readonly<Record<string, unknown>>

/** The terms that this server reads, besides the keywords of JSON-LD. */
const knownTerms = new Set(
  (
    'id type as sec forge actor object target result instrument to cc bto bcc audience name nameMap summary content contentMap ' +
    'mediaType source published updated startTime url href icon inbox outbox followers following endpoints sharedInbox ' +
    'preferredUsername publicKey owner publicKeyPem attributedTo inReplyTo context items orderedItems totalItems tracks ' +
    'ticketsTrackedBy sendPatchesTo'
  ).split(' '),
)

/** The vocabularies of these terms, by their usual prefix. */
const vocabularies = wordTable<string>({
  as: 'https://www.w3.org/ns/activitystreams#',
  sec: 'https://w3id.org/security#',
  forge: 'https://forgefed.org/ns#',
  ldp: 'http://www.w3.org/ns/ldp#',
})

/** Most contexts of one document. */
const maxContexts = 20

/** Returns whether a context leaves the known terms unchanged. */
export function isHarmlessContext(context: unknown): boolean {
  if (context === undefined || context === null || typeof context === 'string') return true
  if (Array.isArray(context)) return context.length <= maxContexts && context.every(isHarmlessContext)
  if (typeof context !== 'object') return false
  return Object.entries(context).every(([term, definition]) => {
    if (term === '@import' || term === '@base') return false
    // An alias of a keyword (`"kind": "@type"`) gives one keyword two names; only `id` and `type` are usual.
    const meaning = meaningOf(definition)
    if (!knownTerms.has(term) && !term.startsWith('@')) return meaning === undefined || !meaning.startsWith('@')
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

/** Parses JSON; undefined when it is invalid. Throws `TooLarge` when it nests too deep or holds too many values. */
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

/** Returns the text of a member; undefined when it is not a well-formed text of at most `maxLength` characters. */
export function textOf(document: Document, name: string, maxLength = 1000): string | undefined {
  const value = Object.hasOwn(document, name) ? document[name] : undefined
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return undefined
  return value
}

/** Returns one line of plain text without control characters and without characters that change the text direction. */
export const plainLine = (text: string, maxLength: number): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these characters are removed
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()

/** Returns the type of an object, or the first of several. */
export function typeOf(document: Document): string | undefined {
  const value = document['type']
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first.length <= 100 ? first : undefined
}

/** Returns the address in a value: the text itself or the `id` of an object. */
export function idOf(value: unknown): string | undefined {
  const id = isDocument(value) ? value['id'] : value
  return typeof id === 'string' && id.length <= maxUrlLength ? id : undefined
}

/** Returns the embedded object of a member, if its context leaves known terms unchanged. */
export function innerDocument(document: Document, name: string): Document | undefined {
  const value = document[name]
  return isDocument(value) && isHarmlessContext(value['@context']) ? value : undefined
}

/** Most addresses of one member that are read. */
const maxAddresses = 200

/** Returns the addresses of members, each of which may be a list. */
export function addressesOf(document: Document, ...names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = document[name]
    const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxAddresses) : [value]
    return values.flatMap((each) => idOf(each) ?? [])
  })
}

/** Returns the first address of `url`, which may be a text, a link or a list. */
export function pageOf(document: Document): string | undefined {
  const { url } = document
  const first: unknown = Array.isArray(url) ? url[0] : url
  const address = isDocument(first) ? first['href'] : first
  return typeof address === 'string' && address.length <= maxUrlLength ? address : undefined
}
