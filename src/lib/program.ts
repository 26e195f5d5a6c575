import { createRequire } from 'node:module'

/** Who this program is. */
export interface Program {
  readonly name: 'ingot'
  readonly version: string
  /** Where its sources are; empty when the package does not say. */
  readonly repository: string
  readonly homepage: string
}

interface PackageFile {
  readonly version: string
  readonly homepage?: string
  readonly repository?: string | { readonly url: string }
}

// A package may name itself, so its description is found from wherever the bundle lies inside of it.
const {
  version,
  homepage = '',
  repository = '',
} = createRequire(import.meta.url)('ingot-forge/package.json') as PackageFile

/** Name and version as in `ingot --version` and in the node information. */
export const program: Program = {
  name: 'ingot',
  version,
  homepage,
  repository: typeof repository === 'string' ? repository : repository.url,
}
