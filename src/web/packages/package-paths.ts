import { pathOf } from '../ui/paths.ts'

interface Named {
  readonly type: string
  readonly lower_name: string
}

type Owner = { readonly name: string }

export const packagesPath = (owner: Owner): string => pathOf(owner.name, '-', 'packages')

/** Returns the page of a package; its name may contain slashes, which are escaped. */
export const packagePath = (owner: Owner, { type, lower_name }: Named): string =>
  `${packagesPath(owner)}/${encodeURIComponent(type)}/${encodeURIComponent(lower_name)}`

export const versionPath = (owner: Owner, named: Named & { readonly lower_version: string }): string =>
  `${packagePath(owner, named)}/${encodeURIComponent(named.lower_version)}`

/** Returns the settings of a package, reached from one of its versions. */
export const packageSettingsPath = (owner: Owner, named: Named & { readonly lower_version: string }): string =>
  `${versionPath(owner, named)}/settings`
