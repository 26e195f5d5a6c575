import type { RepoCtx, SignedInRepoCtx } from '../../../access/context.ts'
import { canRead, canWrite, inRepo, notArchived } from '../../../access/repo.requirements.ts'
import { checkBranchName } from '../../../code/branches/branch-name.rules.ts'
import { changeFiles, deletionRules } from '../../../code/contents/file-change.service.ts'
import { typedRevisionInPath } from '../../../code/git-access.requirements.ts'
import type { FileEdit } from '../../../git/git.ts'
import { NotFound } from '../../../lib/errors.ts'
import type { Oid } from '../../../lib/ids.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import type { EditProps } from './edit.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { text } from '../../ui/fields.ts'

/** The branch in an address of a form, and the path below it. */
export interface EditTarget {
  readonly branch: string
  readonly path: string
  /** Undefined in an empty repository. */
  readonly commit: Oid | undefined
}

/** Returns the branch and path that the address of a form names. Throws `NotFound` for an unknown branch. */
export async function editTarget(ctx: RepoCtx, rest: string): Promise<EditTarget> {
  const { repo, git } = ctx
  if (repo.is_empty && (await git.isEmpty(repo.git_key))) {
    const branch = repo.default_branch
    const isBelow = rest === branch || rest.startsWith(`${branch}/`)
    return { branch, path: isBelow ? rest.slice(branch.length + 1) : rest, commit: undefined }
  }
  const found = await typedRevisionInPath(ctx, `branch/${rest}`)
  if (!found) throw new NotFound(texts.noSuchBranch, 'branch_not_found')
  return { branch: found.revision.name, path: found.treePath, commit: found.revision.commit }
}

export const formRequires = [inSession, inRepo, canRead('code'), canWrite('code'), notArchived] as const
export const actRequires = [inRepo, canRead('code'), canWrite('code'), notArchived] as const

export const formData = (ctx: RepoCtx, { branch, path }: EditTarget) => ({
  repository: { owner: ctx.owner, repo: ctx.repo },
  branch,
  path,
  isFirst: ctx.repo.is_empty,
})

export const titleOf = (what: string, { repository }: Pick<EditProps, 'repository'>) => ({
  title: `${what} · ${repository.owner.name}/${repository.repo.name}`,
  isUnlisted: true,
})

export const commitFields = {
  summary: text,
  description: text,
  target: text,
  new_branch: text,
} as const

export interface CommitChoice {
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly target?: string | undefined
  readonly new_branch?: string | undefined
}

/** Returns message and branch of a commit as the form chose them. Throws `Invalid` for a bad name of a new branch. */
export function chosenOptions(branch: string, choice: CommitChoice) {
  const newBranch = choice.target === 'new' ? (choice.new_branch ?? '').trim() : undefined
  if (newBranch !== undefined) checkBranchName(newBranch)
  const message = [choice.summary?.trim() ?? '', choice.description?.replaceAll('\r\n', '\n').trim() ?? '']
    .filter((part) => part !== '')
    .join('\n\n')
  return { message, branch, newBranch }
}

/** Leads to the comparison of a new branch, where a pull request is opened. */
export const comparison = (ctx: RepoCtx, base: string, made: string) => ({
  to: repositoryPath(ctx, 'compare', `${base}...${made}`),
  notice: texts.committedTo(made),
})

/**
 * Commits edits to the branch or to a new one; returns where the person goes next.
 * @param shownPath the path to show then; the default is that of the first edit
 */
export async function commitEdit(
  ctx: SignedInRepoCtx,
  { branch }: EditTarget,
  edits: readonly FileEdit[],
  choice: CommitChoice,
  shownPath?: string,
): Promise<{ to: string; notice: string }> {
  const options = chosenOptions(branch, choice)
  const isDeletion = edits.every(({ operation }) => operation === 'delete')
  const made = await changeFiles(ctx, edits, options, isDeletion ? deletionRules : undefined)
  if (options.newBranch !== undefined) return comparison(ctx, branch, made.branch)
  const [edit] = edits
  const path = shownPath ?? (edit?.operation === 'delete' ? folderOf(edit.path) : (edit?.path ?? ''))
  return {
    to: revisionPath(ctx, 'src', { kind: 'branch', name: made.branch }, path),
    notice: texts.committedTo(made.branch),
  }
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')

export const problemFields = { path_: 'name', branch_: 'new_branch', ref_: 'new_branch' }
