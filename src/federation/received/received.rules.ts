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

/** Activities that tell of something. Their objects may be there whole, or only named. */
const tellingTypes = new Set(['Create', 'Announce', 'Like', 'Add', 'Push', 'Offer', 'Resolve', 'Commit', 'Fork'])

/** What an activity says, for the feeds of those who follow its actor. */
export interface Told {
  readonly id: string
  readonly type: string
  readonly objectUrl: string
  readonly objectType: string
  readonly title: string
  /** HTML as it came; nobody may be shown it so. */
  readonly html: string
  readonly page: string
  readonly publishedMs: number | undefined
  /** Everybody, or the followers of the actor. */
  readonly isForAll: boolean
  readonly addressees: readonly string[]
}

/** Most characters of what is kept of a text. */
const maxHtmlLength = 16_000
const maxTitleLength = 255

/** What an activity tells; undefined for one of another kind, or without an id on the server of its actor. */
export function readTold(activity: Document, actorUrl: string): Told | undefined {
  const type = typeOf(activity)
  const id = textOf(activity, 'id', 2048)
  if (type === undefined || !tellingTypes.has(type) || id === undefined || !sameOrigin(id, actorUrl)) return undefined
  const object = innerDocument(activity, 'object')
  const objectUrl = idOf(activity['object'])
  if (objectUrl === undefined || !parseAddress(objectUrl)) return undefined
  // Somebody else's words are not theirs to tell: they are named, and read where they are.
  const isOwn = object !== undefined && type === 'Create' && sameOrigin(objectUrl, actorUrl)
  const author = isOwn ? (idOf(object['attributedTo']) ?? actorUrl) : actorUrl
  if (author !== actorUrl) return undefined
  const addressees = addressesOf(activity, 'to', 'cc', 'bto', 'bcc', 'audience')
  return {
    id,
    type,
    objectUrl,
    objectType: object ? (typeOf(object) ?? '') : '',
    ...(isOwn ? readWords(object) : { title: '', html: '', page: objectUrl }),
    publishedMs: parseTimeMs(textOf(activity, 'published', 64) ?? ''),
    isForAll: addressees.some((each) => isPublicAddress(each) || isFollowers(each, actorUrl)),
    addressees,
  }
}

const isFollowers = (address: string, actorUrl: string): boolean => address === `${actorUrl}/followers`

/** Title, text and page of an object. */
export function readWords(object: Document): Pick<Told, 'title' | 'html' | 'page'> {
  const page = pageOf(object)
  const url = idOf(object) ?? ''
  return {
    title: plainLine(textOf(object, 'name', 10_000) ?? textOf(object, 'summary', 10_000) ?? '', maxTitleLength),
    html: (textOf(object, 'content', 1_000_000) ?? '').slice(0, maxHtmlLength).toWellFormed(),
    page: page !== undefined && parseAddress(page) ? page : parseAddress(url) ? url : '',
  }
}
