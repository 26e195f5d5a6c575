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

/** A validated actor of another server. */
export interface RemoteActor {
  readonly id: string
  readonly type: string
  readonly inbox: string
  /** Empty when the server has none. */
  readonly sharedInbox: string
  readonly preferredUsername: string
  /** One line of plain text; may be empty. */
  readonly name: string
  /** An http or https address; the id when the document names none. */
  readonly page: string
  readonly key: { readonly id: string; readonly pem: string } | undefined
}

/** Types of actors that get accounts; `Application` is a server. */
const personTypes = new Set(['Person', 'Service'])

export const isPerson = ({ type }: RemoteActor): boolean => personTypes.has(type)
export const isServerActor = ({ type }: RemoteActor): boolean => type === 'Application'

/** Longest name, in characters. */
const maxNameLength = 255

/** Returns the key of a document with an id, or its first key; `publicKey` may be a list. */
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
 * Returns the actor of a document, or a text that names its fault.
 * @param url the address of the document, which must be the id of the actor
 * @param keyId the id of the key to return; the first key when undefined
 */
export function readActor(document: Document, url: string, keyId?: string): RemoteActor | string {
  if (!isHarmlessContext(document['@context'])) return 'its context gives known terms another meaning'
  const id = textOf(document, 'id', 2048)
  if (id !== url || !parseAddress(id)) return 'its id differs from its address'
  const type = typeOf(document)
  if (type === undefined) return 'it has no type'
  const inbox = idOf(document['inbox'])
  if (inbox === undefined || !parsePlainAddress(inbox) || !sameOrigin(inbox, id)) return 'it has no inbox on its server'
  const endpoints = isDocument(document['endpoints']) ? idOf(document['endpoints']['sharedInbox']) : undefined
  const page = pageOf(document)
  const key = keyIn(document, keyId)
  // A key must name the actor as its owner and lie on the same server.
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

/** Longest login of a remote account, in characters. */
const maxLoginLength = 200

/**
 * Returns the local login of an actor: its name, its host, and the port when the address has one (contract). Other characters
 * become hyphens. undefined when nothing of the name remains.
 */
export function loginOf({ id, preferredUsername }: Pick<RemoteActor, 'id' | 'preferredUsername'>): string | undefined {
  const { hostname, port } = new URL(id)
  const clean = (text: string): string => trimBoth(text.replaceAll(/[^0-9A-Za-z_.-]+/g, '-'), '-.')
  const name = clean(preferredUsername)
  if (name === '') return undefined
  const login = `${name}-${clean(hostname)}${port === '' ? '' : `-${port}`}`
  return login.length > maxLoginLength ? undefined : login
}
