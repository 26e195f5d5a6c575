import type { Config } from '../config/load-config.ts'
import type { CommentId, RepoId, UserId } from '../lib/ids.ts'

/** What documents and activities are sent as. */
export const activityType = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'

/** Everything that is addressed to everybody. */
export const publicAddress = 'https://www.w3.org/ns/activitystreams#Public'
const publicAddresses = new Set([publicAddress, 'as:Public', 'Public'])

export const isPublicAddress = (address: string): boolean => publicAddresses.has(address)

/** Of the configuration, what addresses are made of. */
export interface HasRootUrl {
  readonly server: Pick<Config['server'], 'rootUrl'>
}

const rootOf = ({ server }: HasRootUrl): string => `${server.rootUrl}api/v1/activitypub/`

export const instanceUrl = (config: HasRootUrl): string => `${rootOf(config)}actor`
export const personUrl = (config: HasRootUrl, id: UserId): string => `${rootOf(config)}user-id/${id}`
export const repositoryUrl = (config: HasRootUrl, id: RepoId): string => `${rootOf(config)}repository-id/${id}`

/** The id of an actor's key, by the id of the actor. */
export const keyIdOf = (actorUrl: string): string => `${actorUrl}#main-key`

/** Longest address that is looked at, in characters. */
export const maxUrlLength = 2048

/**
 * An address on another server: http or https, without a user, and no longer than is reasonable; undefined for anything else.
 * Also for an address that a parser has to mend: what is compared later is the text.
 */
export function parseAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > maxUrlLength) return undefined
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  if (/[\s\u0000-\u001f\u007f\\]/.test(text)) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url
}

/** The same, of an actor or object: neither a query nor a fragment. */
export function parsePlainAddress(text: unknown): URL | undefined {
  const url = parseAddress(text)
  return url && url.search === '' && url.hash === '' && !/[?#]/.test(text as string) ? url : undefined
}

/** Whether an address is one of this instance. */
export const isLocal = (config: HasRootUrl, url: URL): boolean => url.origin === new URL(config.server.rootUrl).origin

/** Whether two addresses are on the same server. */
export const sameOrigin = (one: string, other: string): boolean => {
  const origin = parseAddress(one)?.origin
  return origin !== undefined && origin === parseAddress(other)?.origin
}

/** The address of an issue of a repository of this instance, and of a comment on it. */
export const ticketUrl = (config: HasRootUrl, repoId: RepoId, index: number): string =>
  `${repositoryUrl(config, repoId)}/issues/${index}`
export const ticketNoteUrl = (config: HasRootUrl, repoId: RepoId, index: number, id: CommentId): string =>
  `${ticketUrl(config, repoId, index)}/comments/${id}`

/** The number of the issue that an address of the repository names, by itself or by one of its comments. */
export function ticketIndex(config: HasRootUrl, repoId: RepoId, text: string): number | undefined {
  const start = `${repositoryUrl(config, repoId)}/issues/`
  if (!text.startsWith(start)) return undefined
  const index = /^([1-9]\d{0,8})(?:\/comments\/\d{1,15})?$/.exec(text.slice(start.length))?.[1]
  return index === undefined ? undefined : Number(index)
}
