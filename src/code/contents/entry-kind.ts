import type { PathEntry } from '../../git/git.ts'
import { wordTable } from '../../lib/word-table.ts'

const kinds = wordTable<string>({ '040000': 'dir', '120000': 'symlink', '160000': 'submodule' })

/** `file`, `dir`, `symlink` or `submodule`; an executable is a file. */
export const entryKind = (entry: Pick<PathEntry, 'mode'>): string => kinds[entry.mode] ?? 'file'
