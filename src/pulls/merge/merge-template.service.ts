import type { RepoCtx } from '../../access/context.ts'
import { pluck } from '../../lib/pluck.ts'
import { issueWebUrl } from '../../issues/repo-with-owner.ts'
import { loadIssues } from '../../issues/issue.store.ts'
import { listClosingReferences } from '../../issues/references/reference.store.ts'
import type { UserId } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { loadRepos } from '../../repos/repo.store.ts'
import { gitPerson } from '../../users/git-person.ts'
import { loadUsers } from '../../users/user.store.ts'
import {
  defaultTitle,
  fillTemplate,
  splitMessage,
  templateVariables,
  type MergeFacts,
  type Message,
} from './merge-message.ts'
import type { PullPair } from '../pull.store.ts'
import { listReviews } from '../reviews/review.store.ts'

const folders = ['.forgejo', '.gitea']

/** Larger templates are ignored. */
const maxTemplateBytes = 64 * 1024

/** Returns the template for a merge style from the repository's default branch; undefined when it has none. */
export async function readTemplate(ctx: RepoCtx, style: string): Promise<string | undefined> {
  const { git, repo } = ctx
  const head = await git.readRef(repo.git_key, branchRef(repo.default_branch))
  if (head === undefined) return undefined
  for (const folder of folders) {
    const path = `${folder}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`
    const entry = await git.findPath(repo.git_key, head, path)
    if (entry?.type !== 'blob') continue
    const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxTemplateBytes })
    if (content) return content.toString('utf8')
  }
  return undefined
}

/** Loads the facts that merge messages use. */
export async function mergeFacts(ctx: RepoCtx, { pull, issue }: PullPair): Promise<MergeFacts> {
  const [heads, promises, reviews] = await Promise.all([
    loadRepos(ctx.db, [pull.head_repo_id]),
    listClosingReferences(ctx.db, issue.id),
    listReviews(ctx.db, issue.id),
  ])
  const head = pull.head_repo_id === null ? undefined : heads.get(pull.head_repo_id)
  const closing = promises.filter((row) => row.ref_action === 'closes')
  const issues = await loadIssues(ctx.db, pluck(closing, 'issue_id'))
  const approverIds = [
    ...new Set(
      reviews.filter((row) => row.type === 'approve' && !row.is_dismissed).map((row) => row.reviewer_id as UserId),
    ),
  ]
  const users = await loadUsers(ctx.db, [issue.poster_id, ...(head ? [head.owner_id] : []), ...approverIds])
  const limit = ctx.config.repositoryPullRequest.defaultMergeMessageMaxApprovers
  const nameOf = (id: UserId | undefined): string => (id === undefined ? '' : (users.get(id)?.name ?? ''))
  return {
    index: issue.index,
    title: issue.title,
    description: issue.content,
    posterName: nameOf(issue.poster_id),
    base: { ownerName: ctx.owner.name, repoName: ctx.repo.name, branch: pull.base_branch },
    head: head && { ownerName: nameOf(head.owner_id), repoName: head.name, branch: pull.head_branch },
    headBranch: pull.head_branch,
    url: issueWebUrl(ctx, issue),
    approvers: approverIds
      .flatMap((id) => {
        const user = users.get(id)
        if (!user) return []
        const { name, email } = gitPerson(ctx.config, user)
        return [`${name} <${email}>`]
      })
      .slice(0, limit < 0 ? undefined : limit),
    closes: [...issues.values()].filter((each) => each.repo_id === ctx.repo.id).map((each) => `#${each.index}`),
  }
}

/**
 * Returns the message of a merge. The title is the given one, else the template's, else the default; the body is the given
 * text. The API ignores the body of a template (contract).
 */
export async function mergeMessage(
  ctx: RepoCtx,
  pair: PullPair,
  style: string,
  given: { readonly title: string; readonly message: string },
): Promise<Message> {
  const body = given.message.trim()
  if (given.title.trim() !== '') return { title: given.title.trim(), body }
  const facts = await mergeFacts(ctx, pair)
  const template = await readTemplate(ctx, style)
  const title = template === undefined ? '' : splitMessage(fillTemplate(template, templateVariables(facts))).title
  return { title: title || defaultTitle(style, facts), body }
}
