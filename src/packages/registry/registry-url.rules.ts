import type { Config } from '../../config/load-config.ts'
import type { UserRow } from '../../db/tables/accounts.ts'

export interface RegistryOwner {
  readonly config: Config
  readonly subject: UserRow
}

/** Returns the URL of an owner's registry without a trailing slash. */
export const registryUrl = ({ config, subject }: RegistryOwner, type: string): string =>
  `${config.server.rootUrl}api/packages/${encodeURIComponent(subject.name)}/${type}`

/** Returns a URL below an owner's registry; segments are escaped. */
export const urlBelow = (owner: RegistryOwner, type: string, ...segments: readonly string[]): string =>
  [registryUrl(owner, type), ...segments.map((segment) => encodeURIComponent(segment))].join('/')
