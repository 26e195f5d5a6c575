import { Type, type Static } from 'typebox'
import type { SignedInRepoCtx } from '../access/context.ts'
import { refEffect } from '../access/contributions/ref-effect.ts'
import { commitPeople } from '../code/commits/commit-identities.ts'
import type { Tx } from '../db/database.ts'
import type { FileEdit, TreeChange } from '../git/git.ts'
import { Archived, BadRequest, Conflict, Forbidden, NotFound, Unavailable } from '../lib/errors.ts'
import type { GitKey, Oid, UserId } from '../lib/ids.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { wikiOf } from '../refs/git-repository.ts'
import { takeTurn } from '../refs/push/push-turns.ts'
import { moveRefs } from '../refs/journal/ref-door.service.ts'
import { hasGoodSignature, signedCommit, signingFor } from '../refs/signing/signing.service.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { fileOfName, mayTitlePage, nameOfFile, nameOfTitle, titleOfName, withoutEnding } from './page-name.rules.ts'
import { findPage, noSuchPage, readPage, type PageFile, type WholePage } from './page.service.ts'
import { getHistories, type WikiState } from './page-history.service.ts'
import { tellPage, toldMessage, ToldPage } from './page-event.ts'
import { getOrCreateWiki } from './wiki-repository.service.ts'

/** What a page is to say. */
export interface PageText {
  readonly title: string
  readonly content: Buffer
  /** Of the commit; empty: one that says what was done. */
  readonly message: string
}

/** A change of one page. */
interface PageChange {
  readonly edits: readonly FileEdit[]
  readonly message: string
  readonly told: Static<typeof ToldPage>
  /** The file of the page afterwards. */
  readonly file: string
}

/** Writes a new page; a title that a page has already is a `BadRequest`. */
export async function createPage(ctx: SignedInRepoCtx, text: PageText): Promise<WholePage> {
  mustBeTitle(text.title)
  const name = nameOfTitle(text.title)
  const file = fileOfName(name)
  const message = text.message || `Add "${text.title}"`
  return changePage(ctx, await getOrCreateWiki(ctx, ctx.repo), async (wiki) => {
    const taken = wiki && (await findPage(ctx, wiki, name))
    if (taken) throw new BadRequest(`there is a page ${text.title.trim()} already`, 'wiki_page_exists')
    return {
      edits: [{ operation: 'create', path: file, content: text.content }],
      message,
      told: { action: 'created', page: withoutEnding(file) },
      file,
    }
  })
}

/**
 * Writes a page anew, under another title when one is given. A page that is not there is made, and one that has the new
 * title is replaced, unless the caller says which commit they have seen (`seen`): then a page that was changed since, or
 * that would be replaced unseen, is a `Conflict`.
 */
export async function editPage(
  ctx: SignedInRepoCtx,
  name: string,
  text: PageText,
  seen: string | undefined,
): Promise<WholePage> {
  // What is refused makes no wiki.
  if (ctx.repo.wiki_git_key === null) {
    await mustBeAsSeen(ctx, undefined, undefined, seen)
    mustBeTitle(text.title.trim() || titleOfName(name))
  }
  return changePage(ctx, await getOrCreateWiki(ctx, ctx.repo), async (wiki) => {
    const page = wiki && (await findPage(ctx, wiki, name))
    await mustBeAsSeen(ctx, wiki, page, seen)
    const presentTitle = titleOfName(page ? nameOfFile(page.file) : name)
    const title = text.title.trim() || presentTitle
    const isKept = page !== undefined && title === presentTitle
    if (!isKept) mustBeTitle(title)
    const target = isKept ? page : wiki && (await findPage(ctx, wiki, nameOfTitle(title)))
    const isReplaced = target !== undefined && target.file !== page?.file
    if (isReplaced && seen !== undefined) throw new Conflict(`there is a page ${title} already`, 'wiki_page_exists')
    const file = target?.file ?? fileOfName(nameOfTitle(title))
    const message = text.message || `Update "${withoutEnding(file)}"`
    const isMoved = page !== undefined && page.file !== file
    return {
      edits: [
        ...(isReplaced ? [removalOf(file)] : []),
        page
          ? { operation: 'update', path: file, fromPath: page.file, content: text.content }
          : { operation: 'create', path: file, content: text.content },
      ],
      message,
      told: {
        action: page || target ? 'edited' : 'created',
        page: withoutEnding(file),
        ...(isMoved ? { oldPage: withoutEnding(page.file) } : {}),
      },
      file,
    }
  })
}

/** Removes a page; `seen` as in `editPage`. */
export async function deletePage(ctx: SignedInRepoCtx, name: string, seen: string | undefined): Promise<void> {
  const { wiki_git_key: gitKey } = ctx.repo
  if (gitKey === null) throw noSuchPage(name)
  await commitToWiki(ctx, gitKey, async (wiki) => {
    const page = wiki && (await findPage(ctx, wiki, name))
    await mustBeAsSeen(ctx, wiki, page, seen)
    if (!page) throw noSuchPage(name)
    const called = withoutEnding(page.file)
    return {
      edits: [removalOf(page.file)],
      message: `Delete page "${called}"`,
      told: { action: 'deleted', page: called },
      file: page.file,
    }
  })
}

const removalOf = (path: string): FileEdit => ({ operation: 'delete', path, content: Buffer.alloc(0) })

function mustBeTitle(title: string): void {
  const verdict = mayTitlePage(title)
  if (!verdict.allowed) throw new BadRequest(verdict.reason, 'wiki_title_invalid')
}

/** Tells whoever says which commit of a page they know that it is another by now. */
async function mustBeAsSeen(
  ctx: SignedInRepoCtx,
  wiki: WikiState | undefined,
  page: PageFile | undefined,
  seen: string | undefined,
): Promise<void> {
  if (seen === undefined) return
  const last = wiki && page && (await getHistories(ctx, wiki, [page.file])).get(page.file)?.lastOid
  if (last === seen) return
  throw new Conflict(
    last === undefined ? 'the page is not there any more' : `the page was changed meanwhile, in ${last}`,
    'wiki_page_changed',
  )
}

/** Makes a change and gives the page as it is then. */
async function changePage(ctx: SignedInRepoCtx, gitKey: GitKey, plan: Planner): Promise<WholePage> {
  const { wiki, file } = await commitToWiki(ctx, gitKey, plan)
  const entry = (await ctx.git.findPaths(gitKey, wiki.head, [file])).get(file)
  if (!entry) throw new Error(`the page ${file} is not in the commit that wrote it`)
  return readPage(ctx, wiki, { file, oid: entry.oid })
}

/** Says what is to be changed in the wiki as it is (undefined: it has nothing yet); asked again when it has moved. */
type Planner = (wiki: WikiState | undefined) => Promise<PageChange>

/** How often a change is tried again when the wiki moves meanwhile, through another process. */
const maxAttempts = 10

async function commitToWiki(
  ctx: SignedInRepoCtx,
  gitKey: GitKey,
  plan: Planner,
): Promise<{ readonly wiki: WikiState; readonly file: string }> {
  const { git, repo, viewer } = ctx
  const ref = branchRef(repo.wiki_branch)
  const people = await commitPeople(ctx, {})
  // Changes of one wiki take turns, pushes among them, so that a storm of them costs no attempts.
  const leaveTurn = await takeTurn(ctx, gitKey, [ref])
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const head = await git.readRef(gitKey, ref)
      if (head === undefined) await mustBeNew(ctx, gitKey)
      const { edits, message, told, file } = await plan(head && { repoId: repo.id, gitKey, head })
      const tree = { base: head, changes: await changesOf(ctx, gitKey, head, edits) }
      const signing = await signingFor(ctx, 'wiki', viewer.id, repo, {
        parentsigned: () => hasGoodSignature(ctx, gitKey, head),
      })
      const commit = signedCommit(signing, { ...people, message })
      const { oid } = await git.writeCommit(gitKey, { ...commit, parents: head ? [head] : [], tree })
      const update = { ref, old: head ?? zeroOid(repo.object_format), new: oid }
      const result = await moveRefs(
        ctx,
        wikiOf(repo, gitKey),
        [update],
        { doerId: viewer.id, via: 'api' },
        {
          effect: wikiChangeEffect.plan({ doerId: viewer.id, message: toldMessage(message), page: told }),
          before: (tx) => mustStillTakeChanges(tx, ctx),
        },
      )
      if (result.ok) return { wiki: { repoId: repo.id, gitKey, head: oid }, file }
      if (result.reason !== 'stale' && result.reason !== 'exists') {
        throw new Conflict(`the wiki cannot be changed: ${result.message}`, 'wiki_unchangeable')
      }
    }
    throw new Unavailable('the wiki is changed by too many at once: try again', 'wiki_busy')
  } finally {
    leaveTurn()
  }
}

async function changesOf(
  { git }: SignedInRepoCtx,
  gitKey: GitKey,
  head: Oid | undefined,
  edits: readonly FileEdit[],
): Promise<readonly TreeChange[]> {
  const planned = await git.planEdits(gitKey, head, edits)
  if (planned.ok) return planned.changes
  // Folders and links that were pushed under the name of a page's file stay as they are.
  throw new BadRequest(`${planned.problem.path} is something else than a page`, 'wiki_page_exists')
}

/** A wiki whose branch is away, and that has others, is having it renamed: a page written now would begin a second history. */
async function mustBeNew({ git, repo }: SignedInRepoCtx, gitKey: GitKey): Promise<void> {
  if (await git.isEmpty(gitKey)) return
  throw new Conflict(`the wiki has no branch ${repo.wiki_branch} now: try again`, 'wiki_branch_moved')
}

/** In the transaction that writes the change down: what was true when the request began may not be so any more. */
async function mustStillTakeChanges(tx: Tx, { repo }: SignedInRepoCtx): Promise<void> {
  const present = await findRepoById(tx, repo.id)
  if (!present) throw new NotFound('the repository does not exist', 'repo_not_found')
  if (present.is_archived) throw new Archived()
  if (present.is_mirror) throw new Forbidden('a mirror takes its wiki from elsewhere', 'repo_is_mirror')
  if (present.wiki_branch !== repo.wiki_branch) {
    throw new Conflict(`the branch of the wiki is ${present.wiki_branch} by now: try again`, 'wiki_branch_moved')
  }
}

/** A change of a page is told when it is made, whoever settles it. */
export const wikiChangeEffect = refEffect({
  name: 'wikiChange',
  data: Type.Object({
    doerId: Type.Unsafe<UserId>(Type.Integer()),
    message: Type.String(),
    page: ToldPage,
  }),
  about: ({ page }) => page.page,
  apply: (tx, { page, ...by }, { repoId }) => tellPage(tx, { repoId, ...by }, page),
})
