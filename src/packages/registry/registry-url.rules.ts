import type { Config } from '../../config/load-config.ts'
import type { UserRow } from '../../db/tables/accounts.ts'

/** What the address of an owner's registry is made of. */
export interface RegistryPlace {
  readonly config: Config
  readonly subject: UserRow
}

/** Address of an owner's registry, without a slash at its end. */
export const registryUrl = ({ config, subject }: RegistryPlace, type: string): string =>
  `${config.server.rootUrl}api/packages/${encodeURIComponent(subject.name)}/${type}`

/** The same, with more segments, which are escaped. */
export const urlBelow = (place: RegistryPlace, type: string, ...segments: readonly string[]): string =>
  [registryUrl(place, type), ...segments.map((segment) => encodeURIComponent(segment))].join('/')
