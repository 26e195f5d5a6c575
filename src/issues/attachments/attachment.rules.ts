/** Extensions and media types that may be attached; nothing listed means all. */
export interface AllowedTypes {
  readonly extensions: ReadonlySet<string>
  /** `image/*` is kept as `image/`. */
  readonly mediaTypes: readonly string[]
  readonly isAny: boolean
}

/** Reads a list of `.png`, `text/plain`, `image/*` and any type, separated by commas. */
export function allowedTypes(list: string): AllowedTypes {
  const entries = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  return {
    extensions: new Set(entries.filter((entry) => entry.startsWith('.'))),
    mediaTypes: entries.filter((entry) => entry.includes('/')).map((entry) => entry.replace(/\*$/, '')),
    isAny: entries.length === 0 || entries.includes('*/*') || entries.includes('*'),
  }
}

/** Whether a file may be attached, by the end of its name or by what its first bytes say it is. */
export function mayAttach(allowed: AllowedTypes, name: string, contentType: string): boolean {
  if (allowed.isAny) return true
  const extension = /\.[^./\\]+$/.exec(name.toLowerCase())?.[0]
  if (extension !== undefined && allowed.extensions.has(extension)) return true
  const type = (contentType.split(';')[0] as string).trim().toLowerCase()
  return allowed.mediaTypes.some((each) => (each.endsWith('/') ? type.startsWith(each) : type === each))
}
