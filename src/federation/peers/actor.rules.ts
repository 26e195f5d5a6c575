import {
  isDocument,
  isHarmlessContext,
  idOf,
  pageOf,
  plainLine,
  textOf,
  typeOf,
  type Document,
} from '../document.rules.ts'
import { parseAddress, parsePlainAddress, sameOrigin } from '../address.rules.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

/** An actor of another server, of whose document everything was looked at. */
export interface RemoteActor {
  readonly id: string
  readonly type: string
  readonly inbox: string
  /** Empty when there is none. */
  readonly sharedInbox: string
  readonly preferredUsername: string
  /** One line of plain text; empty when it has none. */
  readonly name: string
  /** An address of http or https; the id when it has none. */
  readonly page: string
  readonly key: { readonly id: string; readonly pem: string } | undefined
}

/** Kinds of actors that become accounts here; `Application` is a server itself. */
const personTypes = new Set(['Person', 'Service'])

export const isPerson = ({ type }: RemoteActor): boolean => personTypes.has(type)
export const isServerActor = ({ type }: RemoteActor): boolean => type === 'Application'

/** Most characters of a name that is shown. */
const maxNameLength = 255

/** The key of a document that goes by an id: `publicKey` may be one, or a list. */
export function keyIn(document: Document, keyId?: string): { id: string; owner: string; pem: string } | undefined {
  const member = document['publicKey']
  const keys: readonly unknown[] = Array.isArray(member) ? member.slice(0, 10) : [member]
  for (const key of keys) {
    if (!isDocument(key) || !isHarmlessContext(key['@context'])) continue
    const found = { id: textOf(key, 'id'), owner: idOf(key['owner']), pem: textOf(key, 'publicKeyPem', 4096) }
    const { id, owner, pem } = found
    if (id === undefined || owner === undefined || pem === undefined) continue
    if (keyId === undefined || id === keyId) return { id, owner, pem }
  }
  return undefined
}

/**
 * The actor of a document; a text says what is wrong with it.
 * @param url where the document was found: an actor speaks for itself alone
 * @param keyId the key that is asked for; without one its first
 */
export function readActor(document: Document, url: string, keyId?: string): RemoteActor | string {
  if (!isHarmlessContext(document['@context'])) return 'its context gives known terms another meaning'
  const id = textOf(document, 'id', 2048)
  if (id !== url || !parseAddress(id)) return 'it is another than the address says'
  const type = typeOf(document)
  if (type === undefined) return 'it has no type'
  const inbox = idOf(document['inbox'])
  if (inbox === undefined || !parsePlainAddress(inbox) || !sameOrigin(inbox, id)) return 'it has no inbox on its server'
  const endpoints = isDocument(document['endpoints']) ? idOf(document['endpoints']['sharedInbox']) : undefined
  const page = pageOf(document)
  const key = keyIn(document, keyId)
  // A key that says that it is somebody else's, or lies elsewhere, is nobody's.
  const isOwn = key !== undefined && key.owner === id && sameOrigin(key.id, id)
  return {
    id,
    type,
    inbox,
    sharedInbox: endpoints !== undefined && parsePlainAddress(endpoints) && sameOrigin(endpoints, id) ? endpoints : '',
    preferredUsername: textOf(document, 'preferredUsername', maxNameLength) ?? '',
    name: plainLine(textOf(document, 'name', 10_000) ?? '', maxNameLength),
    page: page !== undefined && parseAddress(page) ? page : id,
    key: isOwn ? { id: key.id, pem: key.pem } : undefined,
  }
}

/** Most characters of the login of an account from elsewhere. */
const maxLoginLength = 200

/**
 * The login that an actor gets here: its name, its host, and the port when the address has one (contract). What cannot stand
 * in a login becomes a hyphen; undefined when nothing is left of the name.
 */
export function loginOf({ id, preferredUsername }: Pick<RemoteActor, 'id' | 'preferredUsername'>): string | undefined {
  const { hostname, port } = new URL(id)
  const clean = (text: string): string => trimBoth(text.replaceAll(/[^0-9A-Za-z_.-]+/g, '-'), '-.')
  const name = clean(preferredUsername)
  if (name === '') return undefined
  const login = `${name}-${clean(hostname)}${port === '' ? '' : `-${port}`}`
  return login.length > maxLoginLength ? undefined : login
}
