import { isPublicAddress, parseAddress, sameOrigin } from '../address.rules.ts'
import {
  addressesOf,
  idOf,
  innerDocument,
  pageOf,
  plainLine,
  textOf,
  typeOf,
  type Document,
} from '../document.rules.ts'
import { parseTimeMs } from '../time.rules.ts'

/** Types of activities that feeds show. */
const acceptedTypes = new Set(['Create', 'Announce', 'Like', 'Add', 'Push', 'Offer', 'Resolve', 'Commit', 'Fork'])

/** An activity for the feeds of the followers of its actor. */
export interface ReceivedActivity {
  readonly id: string
  readonly type: string
  readonly objectUrl: string
  readonly objectType: string
  readonly title: string
  /** HTML as received; it must be sanitised before it is shown. */
  readonly html: string
  readonly page: string
  readonly publishedMs: number | undefined
  /** Whether it is addressed to the public or to the followers of the actor. */
  readonly isPublic: boolean
  readonly addressees: readonly string[]
}

/** Longest stored texts, in characters. */
const maxHtmlLength = 16_000
const maxTitleLength = 255

/** Reads an activity; undefined for other types, or when its id is not on the server of its actor. */
export function readReceived(activity: Document, actorUrl: string): ReceivedActivity | undefined {
  const type = typeOf(activity)
  const id = textOf(activity, 'id', 2048)
  if (type === undefined || !acceptedTypes.has(type) || id === undefined || !sameOrigin(id, actorUrl)) return undefined
  const object = innerDocument(activity, 'object')
  const objectUrl = idOf(activity['object'])
  if (objectUrl === undefined || !parseAddress(objectUrl)) return undefined
  // Texts of other authors are not stored, only their address.
  const isOwn = object !== undefined && type === 'Create' && sameOrigin(objectUrl, actorUrl)
  const author = isOwn ? (idOf(object['attributedTo']) ?? actorUrl) : actorUrl
  if (author !== actorUrl) return undefined
  const addressees = addressesOf(activity, 'to', 'cc', 'bto', 'bcc', 'audience')
  return {
    id,
    type,
    objectUrl,
    objectType: object ? (typeOf(object) ?? '') : '',
    ...(isOwn ? readContent(object) : { title: '', html: '', page: objectUrl }),
    publishedMs: parseTimeMs(textOf(activity, 'published', 64) ?? ''),
    isPublic: addressees.some((each) => isPublicAddress(each) || isFollowers(each, actorUrl)),
    addressees,
  }
}

const isFollowers = (address: string, actorUrl: string): boolean => address === `${actorUrl}/followers`

/** Returns title, text and page of an object. */
export function readContent(object: Document): Pick<ReceivedActivity, 'title' | 'html' | 'page'> {
  const page = pageOf(object)
  const url = idOf(object) ?? ''
  return {
    title: plainLine(textOf(object, 'name', 10_000) ?? textOf(object, 'summary', 10_000) ?? '', maxTitleLength),
    html: (textOf(object, 'content', 1_000_000) ?? '').slice(0, maxHtmlLength).toWellFormed(),
    page: page !== undefined && parseAddress(page) ? page : parseAddress(url) ? url : '',
  }
}
