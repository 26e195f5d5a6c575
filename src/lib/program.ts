import { createRequire } from 'node:module'

/** Name and version of this program. */
export interface Program {
  readonly name: 'ingot'
  readonly version: string
  /** URL of the sources; empty when the package has none. */
  readonly repository: string
  readonly homepage: string
}

interface PackageFile {
  readonly version: string
  readonly homepage?: string
  readonly repository?: string | { readonly url: string }
}

// A package can import itself by name, so this works from any folder of the bundle.
const {
  version,
  homepage = '',
  repository = '',
} = createRequire(import.meta.url)('ingot-forge/package.json') as PackageFile

/** As shown by `ingot --version` and nodeinfo. */
export const program: Program = {
  name: 'ingot',
  version,
  homepage,
  repository: typeof repository === 'string' ? repository : repository.url,
}
