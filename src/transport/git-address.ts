/** A repository or its wiki in a git address. */
export interface GitAddress {
  readonly owner: string
  readonly name: string
  readonly unit: 'code' | 'wiki'
}

/** Parses the last part of a git address: `name`, `name.git`, `name.wiki`, `name.wiki.git`. */
export function readGitAddress(owner: string, last: string): GitAddress {
  const bare = last.replace(/\.git$/i, '')
  return /\.wiki$/i.test(bare)
    ? { owner, name: bare.slice(0, -'.wiki'.length), unit: 'wiki' }
    : { owner, name: bare, unit: 'code' }
}
