import { BadRequest } from '../../lib/errors.ts'
import { semverOf } from '../registry/semver.rules.ts'

/** Longest module path in characters. */
const maxModuleLength = 255
const moduleForm = /^[A-Za-z0-9_.~-]+(?:\/[A-Za-z0-9_.~-]+)*$/

/** Metadata of a version. */
export interface GoMetadata {
  readonly goMod: string
}

/** Returns the module and version of an archive, whose files all lie below `module@version/`. Throws `BadRequest`. */
export function moduleOf(names: readonly string[]): { readonly name: string; readonly version: string } {
  const [first = ''] = names
  const at = first.indexOf('@')
  const name = first.slice(0, Math.max(at, 0))
  const version = first.slice(at + 1).split('/')[0] ?? ''
  const prefix = `${name}@${version}/`
  if (at < 0 || !isModule(name) || !names.every((each) => each.startsWith(prefix))) {
    throw new BadRequest('the archive contains no module', 'go_module_invalid')
  }
  if (!version.startsWith('v') || semverOf(version) !== version.slice(1)) {
    throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
  }
  return { name, version }
}

const isModule = (name: string): boolean =>
  name.length <= maxModuleLength && moduleForm.test(name) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(name)

/** Decodes a module path or version, in which `!a` stands for `A`. */
export const unescapeModule = (text: string): string =>
  text.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the go.mod of a module without one. */
export const usualGoMod = (name: string): string => `module ${name}\n`
