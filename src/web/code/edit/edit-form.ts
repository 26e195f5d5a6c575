import type { RepoCtx, SignedInRepoCtx } from '../../../access/context.ts'
import { canRead, canWrite, inRepo, notArchived } from '../../../access/repo.requirements.ts'
import { checkBranchName } from '../../../code/branches/branch-name.rules.ts'
import { freeBranchName } from '../../../code/branches/free-branch-name.service.ts'
import { changeFiles, deletionRules, type ChangeRules } from '../../../code/contents/file-change.service.ts'
import { typedRevisionInPath } from '../../../code/git-access.requirements.ts'
import type { FileEdit } from '../../../git/git.ts'
import { NotFound } from '../../../lib/errors.ts'
import type { Oid } from '../../../lib/ids.ts'
import { writesOrProposes } from '../../../pulls/proposal.requirements.ts'
import { freeProposalName, proposeEdits } from '../../../pulls/proposal.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { withQuery } from '../../ui/paths.ts'
import { repositoryPath, revisionPath } from '../code-paths.ts'
import { comparePath } from '../../shared/compare/compare-address.ts'
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

/** What a form requires whose change people without write access propose from a fork. */
export const proposalFormRequires = [inSession, inRepo, canRead('code'), writesOrProposes, notArchived] as const
export const proposalRequires = [inRepo, canRead('code'), writesOrProposes, notArchived] as const

/** Reads what all forms of a commit show. */
export async function formData(ctx: SignedInRepoCtx, { branch, path }: EditTarget) {
  const isProposal = !ctx.rights.canWrite('code')
  return {
    repository: { owner: ctx.owner, repo: ctx.repo },
    branch,
    path,
    isFirst: ctx.repo.is_empty,
    isProposal,
    newBranch: isProposal
      ? await freeProposalName(ctx)
      : await freeBranchName(ctx, ctx.viewer.user.name, [ctx.repo.id]),
  }
}

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

/** Leads to the comparison of a new branch with where it belongs, where a pull request is opened. */
export const comparison = (ctx: RepoCtx, base: string, made: string) => ({
  to:
    ctx.repo.fork_id === null
      ? withQuery(repositoryPath(ctx, 'compare', `${base}...${made}`), { open: 1 })
      : withQuery(repositoryPath(ctx, 'compare'), { base, head: made, open: 1 }),
  notice: texts.committedTo(made),
})

/** Commits edits to a branch of the person's fork; leads to its comparison, where the pull request is opened. */
async function propose(
  ctx: SignedInRepoCtx,
  { branch, commit }: EditTarget,
  edits: readonly FileEdit[],
  choice: CommitChoice,
  rules: ChangeRules | undefined,
): Promise<{ to: string; notice: string }> {
  if (commit === undefined) throw new NotFound(texts.noSuchBranch, 'branch_not_found')
  const { message, newBranch = '' } = chosenOptions(branch, { ...choice, target: 'new' })
  const { fork, branch: made } = await proposeEdits(ctx, { start: commit, edits, message, newBranch }, rules)
  return {
    to: comparePath(
      { repo: ctx.repo, owner: ctx.owner, name: branch },
      { repo: fork.repo, owner: fork.owner, name: made },
      { open: 1 },
    ),
    notice: texts.proposal.made(made, `${fork.owner.name}/${fork.repo.name}`),
  }
}

/**
 * Commits edits to the branch, to a new one, or to one of the person's fork; returns where the person goes next.
 * @param shownPath the path to show then; the default is that of the first edit
 */
export async function commitEdit(
  ctx: SignedInRepoCtx,
  at: EditTarget,
  edits: readonly FileEdit[],
  choice: CommitChoice,
  shownPath?: string,
): Promise<{ to: string; notice: string }> {
  const { branch } = at
  const isDeletion = edits.every(({ operation }) => operation === 'delete')
  const rules = isDeletion ? deletionRules : undefined
  if (!ctx.rights.canWrite('code')) return propose(ctx, at, edits, choice, rules)
  const options = chosenOptions(branch, choice)
  const made = await changeFiles(ctx, edits, options, rules)
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
