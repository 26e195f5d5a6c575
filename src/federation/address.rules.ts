import type { Config } from '../config/load-config.ts'
import type { CommentId, RepoId, UserId } from '../lib/ids.ts'

/** The media type of documents and activities. */
export const activityType = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'

/** The address of the public. */
export const publicAddress = 'https://www.w3.org/ns/activitystreams#Public'
const publicAddresses = new Set([publicAddress, 'as:Public', 'Public'])

export const isPublicAddress = (address: string): boolean => publicAddresses.has(address)

/** The part of the configuration that addresses depend on. */
export interface RootUrlConfig {
  readonly server: Pick<Config['server'], 'rootUrl'>
}

const rootOf = ({ server }: RootUrlConfig): string => `${server.rootUrl}api/v1/activitypub/`

export const instanceUrl = (config: RootUrlConfig): string => `${rootOf(config)}actor`
export const personUrl = (config: RootUrlConfig, id: UserId): string => `${rootOf(config)}user-id/${id}`
export const repositoryUrl = (config: RootUrlConfig, id: RepoId): string => `${rootOf(config)}repository-id/${id}`

/** Returns the id of the key of an actor. */
export const keyIdOf = (actorUrl: string): string => `${actorUrl}#main-key`

/** Longest accepted address, in characters. */
export const maxUrlLength = 2048

/**
 * Parses an http or https address without credentials; undefined for anything else. An address that the URL parser would
 * correct is refused, because addresses are compared as text.
 */
export function parseAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > maxUrlLength) return undefined
  // oxlint-disable-next-line no-control-regex -- these characters are refused
  if (/[\s\u0000-\u001f\u007f\\]/.test(text)) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url
}

/** Parses the address of an actor or object, which has neither query nor fragment. */
export function parsePlainAddress(text: unknown): URL | undefined {
  const url = parseAddress(text)
  return url && url.search === '' && url.hash === '' && !/[?#]/.test(text as string) ? url : undefined
}

/** Returns whether an address belongs to this instance. */
export const isLocal = (config: RootUrlConfig, url: URL): boolean =>
  url.origin === new URL(config.server.rootUrl).origin

/** Returns whether two addresses are on the same server. */
export const sameOrigin = (one: string, other: string): boolean => {
  const origin = parseAddress(one)?.origin
  return origin !== undefined && origin === parseAddress(other)?.origin
}

/** Return the addresses of a local issue and of a comment on it. */
export const ticketUrl = (config: RootUrlConfig, repoId: RepoId, index: number): string =>
  `${repositoryUrl(config, repoId)}/issues/${index}`
export const ticketNoteUrl = (config: RootUrlConfig, repoId: RepoId, index: number, id: CommentId): string =>
  `${ticketUrl(config, repoId, index)}/comments/${id}`

/** Returns the number of the issue in an address of a local issue or comment. */
export function ticketIndex(config: RootUrlConfig, repoId: RepoId, text: string): number | undefined {
  const start = `${repositoryUrl(config, repoId)}/issues/`
  if (!text.startsWith(start)) return undefined
  const index = /^([1-9]\d{0,8})(?:\/comments\/\d{1,15})?$/.exec(text.slice(start.length))?.[1]
  return index === undefined ? undefined : Number(index)
}
