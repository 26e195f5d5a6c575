import { BadRequest } from '../../lib/errors.ts'
import { isRecord, recordOf, textIn, textsIn } from '../registry/json-text.rules.ts'
import { semverOf } from '../registry/semver.rules.ts'

const nameForm = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Largest number of dependencies, each of which is larger in the index than in the request. */
const maxDependencies = 2000

/** A dependency in the index. */
export interface CargoDependency {
  readonly name: string
  readonly req: string
  readonly features: readonly string[]
  readonly optional: boolean
  readonly default_features: boolean
  readonly target: string | null
  readonly kind: string
  readonly registry: string | null
  readonly package: string | null
}

/** Metadata of a version. */
export interface CargoMetadata {
  readonly deps: readonly CargoDependency[]
  readonly features: Readonly<Record<string, readonly string[]>>
  readonly links?: string
  readonly rustVersion?: string
  readonly description: string
  readonly homepage: string
  readonly repository: string
  readonly license: string
  readonly keywords: readonly string[]
  readonly isYanked: boolean
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** The index names a renamed dependency by its new name, and its own name is `package`. */
function dependencyOf(value: unknown): CargoDependency {
  const dependency = recordOf(value)
  const renamed = textOrNull(dependency['explicit_name_in_toml'])
  const name = textIn(dependency['name'])
  return {
    name: renamed ?? name,
    req: textIn(dependency['version_req']),
    features: textsIn(dependency['features']),
    optional: dependency['optional'] === true,
    default_features: dependency['default_features'] !== false,
    target: textOrNull(dependency['target']),
    kind: textIn(dependency['kind']) || 'normal',
    registry: textOrNull(dependency['registry']),
    package: renamed === null ? null : name,
  }
}

/** Parses the description of a crate. Throws `BadRequest`. */
export function crateOf(description: unknown): {
  readonly name: string
  readonly version: string
  readonly metadata: CargoMetadata
} {
  const crate = recordOf(description)
  const name = textIn(crate['name'])
  if (!nameForm.test(name)) throw new BadRequest('the name of the crate is invalid', 'package_name_invalid')
  const version = semverOf(crate['vers'])
  if (version === undefined || version !== crate['vers']) {
    throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
  }
  const { features, deps } = crate
  if (Array.isArray(deps) && deps.length > maxDependencies) {
    throw new BadRequest(`a crate has at most ${maxDependencies} dependencies`, 'cargo_dependencies_invalid')
  }
  const links = textOrNull(crate['links'])
  const rustVersion = textOrNull(crate['rust_version'])
  return {
    name,
    version,
    metadata: {
      deps: Array.isArray(deps) ? deps.map(dependencyOf) : [],
      features: isRecord(features)
        ? Object.fromEntries(Object.entries(features).map(([key, value]) => [key, textsIn(value)]))
        : {},
      ...(links === null ? {} : { links }),
      ...(rustVersion === null ? {} : { rustVersion }),
      description: textIn(crate['description']),
      homepage: textIn(crate['homepage']),
      repository: textIn(crate['repository']),
      license: textIn(crate['license']),
      keywords: textsIn(crate['keywords']),
      isYanked: false,
    },
  }
}

export const crateFileName = (name: string, version: string): string => `${name}-${version}.crate`.toLowerCase()
