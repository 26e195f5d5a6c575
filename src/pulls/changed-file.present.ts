import type { RepoCtx } from '../access/context.ts'
import type { FileChange, FileStatus } from '../git/git.ts'
import { escapePath } from '../lib/escape-url.ts'
import type { Oid } from '../lib/ids.ts'
import { repoApiUrl, repoWebUrl } from '../repos/repo-url.ts'
import type { ChangedFile } from './pull.schemas.ts'

const words: Readonly<Record<FileStatus, string>> = {
  added: 'added',
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  modified: 'changed',
  changed: 'changed',
}

/** Returns whether no line differs: a binary file, or a change of the mode only (contract, pulls: `unchanged`). */
const isContentKept = ({ status, additions, deletions }: FileChange): boolean =>
  (status === 'modified' || status === 'changed') && additions + deletions === 0

/** Returns changed files with their URLs at a commit of the head repository. */
export function presentChangedFiles(
  context: Pick<RepoCtx, 'config' | 'repo' | 'owner'>,
  head: Oid,
  files: readonly FileChange[],
): ChangedFile[] {
  const web = repoWebUrl(context)
  const api = repoApiUrl(context)
  return files.map((file) => {
    const path = escapePath(file.path)
    return {
      filename: file.path,
      ...(file.oldPath === undefined ? {} : { previous_filename: file.oldPath }),
      status: isContentKept(file) ? 'unchanged' : words[file.status],
      additions: file.additions,
      deletions: file.deletions,
      changes: file.additions + file.deletions,
      html_url: `${web}/src/commit/${head}/${path}`,
      contents_url: `${api}/contents/${path}?ref=${head}`,
      raw_url: `${web}/raw/commit/${head}/${path}`,
    }
  })
}
