import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { refusePrivate } from '../../access/credential-limits.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { refuseOverQuotaBefore } from '../../access/quota/reservation.service.ts'
import { ownCharge } from '../git-usage.service.ts'
import { mode } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import { publish } from '../../events/hub.ts'
import type { TreeChange } from '../../git/git.ts'
import { isValidBranchName } from '../../lib/ref-name.ts'
import { Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import { anyMatch, mustDecide } from '../../lib/expression.ts'
import { compileGlob } from '../../lib/glob.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { signedCommit, signingFor } from '../../refs/signing/signing.service.ts'
import { refuseNoMaker } from './org-repo.service.ts'
import {
  firstMessage,
  insertNewRepo,
  nameTaken,
  personOfFirst,
  withNewGit,
  type NewGit,
} from './repo-creation.service.ts'
import { mayNameRepo } from '../repo-name.rules.ts'
import { repoCloneUrl, repoSshUrl } from '../repo-url.ts'
import { insertRepoTopics, upsertTopics } from '../social/topic.store.ts'
import {
  expandPath,
  expandVariables,
  templatePatterns,
  templateVariables,
  type TemplateSubject,
} from './template-variables.rules.ts'
import { newUnits } from '../unit-config.ts'

export interface FromTemplate {
  readonly owner: string
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly defaultBranch: string
  /** The parts that are copied. */
  readonly takes: {
    readonly gitContent: boolean
    readonly topics: boolean
    readonly labels: boolean
    readonly avatar: boolean
    readonly webhooks: boolean
    readonly gitHooks: boolean
    readonly protectedBranch: boolean
  }
}

/** Returns the owner of the new repository. Refusals follow the contract. */
async function newOwner(ctx: SignedInRepoCtx, name: string): Promise<{ owner: UserRow; ownsIt: boolean }> {
  const owner = await findAccountByName(ctx.db, name.toLowerCase())
  if (!owner) throw new NotFound('the owner does not exist', 'user_not_found')
  if (owner.id === ctx.viewer.id || ctx.viewer.isAdmin) return { owner, ownsIt: true }
  if (owner.kind !== 'organization') throw new Forbidden('only administrators make repositories for others', 'not_self')
  const { ownsOrg } = await refuseNoMaker(ctx, owner)
  return { owner, ownsIt: ownsOrg }
}

/**
 * Creates a repository from a template. Its git content is one commit with the tree of the default branch and
 * expanded variables. Subscribers of `repo.generated` copy labels, webhooks and protections in the same
 * transaction.
 */
export async function generateRepo(
  ctx: SignedInRepoCtx,
  input: FromTemplate,
): Promise<{ repo: RepoRow; owner: UserRow }> {
  const { repo: template, viewer, config } = ctx
  refusePrivate(viewer, input.isPrivate)
  if (!template.is_template) throw new Invalid('the repository is no template', 'not_a_template')
  if (!Object.values(input.takes).some(Boolean)) {
    throw new Invalid('nothing of the template is asked for', 'nothing_to_take')
  }
  const named = mayNameRepo(input.name)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  const defaultBranch = input.defaultBranch || template.default_branch
  if (!isValidBranchName(defaultBranch)) {
    throw new Invalid(`${defaultBranch} is no name for a branch`, 'branch_name_invalid')
  }
  const { owner, ownsIt } = await newOwner(ctx, input.owner)
  await refuseOverQuota(ctx, owner, 'size:repos:all')
  if (await findRepoByName(ctx.db, owner.id, input.name.toLowerCase())) throw nameTaken(input.name)
  const createdUnix = nowUnix(ctx.clock)
  const topics = input.takes.topics ? (JSON.parse(template.topics) as string[]) : []
  const repo = await withNewGit(ctx, { defaultBranch, objectFormat: template.object_format }, async (git) => {
    // Anyone who may generate copies the git hooks (contract): an authorized account wrote them.
    if (input.takes.gitHooks && !config.security.disableGitHooks) {
      await ctx.git.copyCustomHooks(template.git_key, git.key)
    }
    const first = input.takes.gitContent ? await copyContent(ctx, git, owner, input, createdUnix) : undefined
    return insertNewRepo(ctx, {
      doer: viewer.user,
      owner,
      git,
      createdUnix,
      row: {
        name: input.name,
        description: input.description,
        is_private: input.isPrivate || config.repository.forcePrivate,
        fork_id: null,
        template_id: template.id,
        topics: JSON.stringify(topics),
        trust_model: template.trust_model,
      },
      branches: first ? [{ name: defaultBranch, commit: first }] : [],
      units: newUnits(config.repository.defaultRepoUnits, config),
      access: ownsIt ? undefined : mode.admin,
      async inTransaction(tx, made) {
        await refuseOverQuotaBefore(ctx, tx, ownCharge(owner, made))
        const rows = await upsertTopics(tx, topics, createdUnix)
        await insertRepoTopics(tx, made.id, pluck(rows, 'id'))
        await publish(tx, 'repo.created', { repoId: made.id, doerId: viewer.id })
        const { labels, avatar, webhooks, gitHooks, protectedBranch } = input.takes
        await publish(tx, 'repo.generated', {
          repoId: made.id,
          doerId: viewer.id,
          templateId: template.id,
          takes: { labels, avatar, webhooks, gitHooks, protectedBranch },
        })
      },
    })
  })
  return { repo, owner }
}

/** Largest number of expanded files, and the largest size of one in bytes. */
const maxExpandedFiles = 10_000
/** Measured cost of reading a character of the list of expanded files, in microseconds. */
const lineCharacterUs = 0.05
const maxExpandedBytes = 5 << 20

/** Writes one commit with the template's tree; returns undefined when the template is empty. */
async function copyContent(
  ctx: SignedInRepoCtx,
  git: NewGit,
  owner: UserRow,
  input: FromTemplate,
  createdUnix: number,
): Promise<Oid | undefined> {
  const { repo: template, git: store, config } = ctx
  const head = await store.readRef(template.git_key, branchRef(template.default_branch))
  if (!head) return undefined
  const { tree } = await store.readCommit(template.git_key, head)
  await store.fetchObjects(template.git_key, git.key, [head])
  const changes = await expandedFiles(ctx, head, owner, input)
  const person = personOfFirst(config, owner, createdUnix)
  const signing = await signingFor(ctx, 'initialCommit', ctx.viewer.id, template)
  const first = signedCommit(signing, { author: person, committer: person, message: firstMessage })
  const { oid } = await store.writeCommit(git.key, { ...first, parents: [], tree: { base: tree, changes } })
  // The repository has no row yet.
  const moved = await store.updateRefs(git.key, [
    { ref: branchRef(git.defaultBranch), old: zeroOid(git.objectFormat), new: oid },
  ])
  if (!moved.ok) throw new Error(`the first branch could not be made: ${moved.message}`)
  return oid
}

async function expandedFiles(
  ctx: SignedInRepoCtx,
  head: Oid,
  owner: UserRow,
  input: FromTemplate,
): Promise<TreeChange[]> {
  const { repo: template, git: store, config } = ctx
  const key = template.git_key
  const lists = await Promise.all(
    ['.forgejo/template', '.gitea/template'].map((path) => store.findPath(key, head, path)),
  )
  const list = lists.find((entry) => entry?.type === 'blob')
  if (!list) return []
  const text = Buffer.from(await readText(ctx, list.oid), 'latin1').toString('utf8')
  ctx.budget.take('processorUs', text.length * lineCharacterUs)
  const patterns = templatePatterns(text)
    .map((pattern) => compileGlob(pattern, '/', ctx.budget))
    .filter(({ isFaulty }) => !isFaulty)
  const subject = (of: {
    owner: Pick<UserRow, 'name'>
    repo: Pick<RepoRow, 'name' | 'description'>
  }): TemplateSubject => ({
    name: of.repo.name,
    description: of.repo.description,
    owner: of.owner.name,
    link: `${config.server.subPath}/${of.owner.name}/${of.repo.name}`,
    httpsUrl: repoCloneUrl({ config, ...of }),
    sshUrl: repoSshUrl({ config, ...of }),
  })
  const variables = templateVariables({
    nowMs: ctx.clock.nowMs(),
    repo: subject({ owner, repo: { name: input.name, description: input.description } }),
    template: subject(ctx),
  })
  const { entries, total } = await store.listTreeRecursive(key, head, { limit: maxExpandedFiles, sizes: true })
  if (total > maxExpandedFiles) {
    throw new Invalid(`a template has at most ${maxExpandedFiles} files`, 'template_too_large')
  }
  const changes: TreeChange[] = [{ op: 'delete', path: list.path }]
  for (const entry of entries) {
    const isFile = entry.type === 'blob' && entry.path !== list.path && (entry.sizeBytes ?? 0) <= maxExpandedBytes
    if (!isFile || !mustDecide(ctx.budget, anyMatch(patterns, entry.path))) continue
    const path = expandPath(entry.path, variables)
    if (path !== entry.path) changes.push({ op: 'delete', path: entry.path })
    // The target of a symbolic link is not expanded.
    const content =
      entry.mode === '120000'
        ? { oid: entry.oid }
        : Buffer.from(expandVariables(await readText(ctx, entry.oid), inBytes(variables)), 'latin1')
    changes.push({ op: 'write', path, mode: entry.mode, content })
  }
  return changes
}

/** Encodes values like `readText`: one character for each UTF-8 byte. */
const inBytes = (variables: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...variables].map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]))

/** Reads a file as one character for each byte, which keeps bytes that are not UTF-8. */
async function readText({ git, repo }: SignedInRepoCtx, oid: Oid): Promise<string> {
  const { content } = await git.readBlob(repo.git_key, oid, { maxBytes: maxExpandedBytes })
  return content?.toString('latin1') ?? ''
}
