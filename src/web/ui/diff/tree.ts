import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'

/** A folder of changed files. */
export interface Folder {
  /** Name; several names with slashes when a folder contains only one other. */
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly { readonly name: string; readonly file: ShownFile }[]
}

interface Building {
  readonly folders: Map<string, Building>
  readonly files: { name: string; file: ShownFile }[]
}

/** Returns the changed files as a tree. */
export function treeOf(files: readonly ShownFile[]): Folder {
  const root: Building = { folders: new Map(), files: [] }
  for (const file of files) {
    const parts = file.change.path.split('/')
    const name = parts.pop() ?? ''
    let at = root
    for (const part of parts) {
      const next = at.folders.get(part) ?? { folders: new Map(), files: [] }
      at.folders.set(part, next)
      at = next
    }
    at.files.push({ name, file })
  }
  return finished('', root)
}

function finished(name: string, { folders, files }: Building): Folder {
  const [only] = folders
  if (name !== '' && only && folders.size === 1 && files.length === 0) return finished(`${name}/${only[0]}`, only[1])
  return { name, folders: [...folders].map(([each, building]) => finished(each, building)), files }
}
