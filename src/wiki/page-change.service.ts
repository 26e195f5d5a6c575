import type { SignedInRepoCtx } from '../access/context.ts'
import { commitPeople } from '../code/commits/commit-identities.ts'
import type { Tx } from '../db/database.ts'
import type { FileEdit, TreeChange } from '../git/git.ts'
import { Archived, BadRequest, Conflict, Forbidden, NotFound, Unavailable } from '../lib/errors.ts'
import type { GitKey, Oid } from '../lib/ids.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { wikiOf } from '../refs/git-repository.ts'
import { maxAttempts, takeTurn } from '../refs/push/push-turns.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { hasGoodSignature, signedCommit, signingFor } from '../refs/signing/signing.service.ts'
import { findRepoById } from '../repos/repo.store.ts'
import {
  fileOfName,
  isSameTitle,
  mayTitlePage,
  nameOfFile,
  nameOfTitle,
  titleOfName,
  withoutEnding,
} from './page-name.rules.ts'
import { findPage, noSuchPage, readPage, type PageFile, type WholePage } from './page.service.ts'
import { getHistories, type WikiState } from './page-history.service.ts'
import { publishPageEvent, eventMessage, type PageEvent } from './page-event.ts'
import { getOrCreateWiki } from './wiki-repository.service.ts'

/** The new content of a page. */
export interface PageText {
  readonly title: string
  readonly content: Buffer
  /** The commit message; empty for a default one. */
  readonly message: string
}

/** A change of one page, or of a file beside the pages. */
interface WikiChange {
  readonly edits: readonly FileEdit[]
  readonly message: string
  /** Undefined: no page changes. */
  readonly event: PageEvent | undefined
  /** The path of the file after the change. */
  readonly file: string
}

/** Creates a page. Throws `BadRequest` when a page has the title. */
export async function createPage(ctx: SignedInRepoCtx, text: PageText): Promise<WholePage> {
  mustBeTitle(text.title)
  const name = nameOfTitle(text.title)
  const file = fileOfName(name)
  const message = text.message || `Add "${text.title}"`
  return changePage(ctx, await getOrCreateWiki(ctx, ctx.repo), async (wiki) => {
    const taken = wiki && (await findPage(ctx, wiki, name))
    if (taken) throw new BadRequest(`wiki page "${text.title.trim()}" exists already`, 'wiki_page_exists')
    return {
      edits: [{ operation: 'create', path: file, content: text.content }],
      message,
      event: { action: 'created', page: withoutEnding(file) },
      file,
    }
  })
}

/**
 * Changes the content of a page, and its title when one is given. A missing page is created, and a page with the new title is
 * replaced. With the commit that the caller has seen (`seen`), a page that was changed since, or another page with the new
 * title, is a `Conflict`.
 */
export async function editPage(
  ctx: SignedInRepoCtx,
  name: string,
  text: PageText,
  seen: string | undefined,
): Promise<WholePage> {
  // A refused change must not create the wiki.
  if (ctx.repo.wiki_git_key === null) {
    await mustBeAsSeen(ctx, undefined, undefined, seen)
    mustBeTitle(text.title.trim() || titleOfName(name))
  }
  return changePage(ctx, await getOrCreateWiki(ctx, ctx.repo), async (wiki) => {
    const page = wiki && (await findPage(ctx, wiki, name))
    await mustBeAsSeen(ctx, wiki, page, seen)
    const presentTitle = titleOfName(page ? nameOfFile(page.file) : name)
    const title = text.title.trim() || presentTitle
    const isKept = page !== undefined && isSameTitle(title, presentTitle)
    if (!isKept) mustBeTitle(title)
    const target = isKept ? page : wiki && (await findPage(ctx, wiki, nameOfTitle(title)))
    const isReplaced = target !== undefined && target.file !== page?.file
    if (isReplaced && seen !== undefined) throw new Conflict(`wiki page "${title}" exists already`, 'wiki_page_exists')
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
      event: {
        action: page || target ? 'edited' : 'created',
        page: withoutEnding(file),
        ...(isMoved ? { oldPage: withoutEnding(page.file) } : {}),
      },
      file,
    }
  })
}

/** Deletes a page; `seen` as in `editPage`. Throws `NotFound`. */
export async function deletePage(ctx: SignedInRepoCtx, name: string, seen: string | undefined): Promise<void> {
  const { wiki_git_key: gitKey } = ctx.repo
  if (gitKey === null) throw noSuchPage(name)
  await commitToWiki(ctx, gitKey, async (wiki) => {
    const page = wiki && (await findPage(ctx, wiki, name))
    await mustBeAsSeen(ctx, wiki, page, seen)
    if (!page) throw noSuchPage(name)
    const title = withoutEnding(page.file)
    return {
      edits: [removalOf(page.file)],
      message: `Delete page "${title}"`,
      event: { action: 'deleted', page: title },
      file: page.file,
    }
  })
}

const removalOf = (path: string): FileEdit => ({ operation: 'delete', path, content: Buffer.alloc(0) })

function mustBeTitle(title: string): void {
  const verdict = mayTitlePage(title)
  if (!verdict.allowed) throw new BadRequest(verdict.reason, verdict.code)
}

/** Throws `Conflict` when the last commit of a page is not the one that the caller has seen. */
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
    last === undefined ? 'the page was deleted meanwhile' : `the page was changed meanwhile by commit ${last}`,
    'wiki_page_changed',
  )
}

/** Commits a change and returns the changed page. */
async function changePage(ctx: SignedInRepoCtx, gitKey: GitKey, plan: Planner): Promise<WholePage> {
  const { wiki, file } = await commitToWiki(ctx, gitKey, plan)
  const entry = (await ctx.git.findPaths(gitKey, wiki.head, [file])).get(file)
  if (!entry) throw new Error(`the page ${file} is missing in the commit that wrote it`)
  return readPage(ctx, wiki, { file, oid: entry.oid })
}

/** Plans a change of the current wiki, which is undefined before the first page. It is called again when the wiki changed. */
type Planner = (wiki: WikiState | undefined) => Promise<WikiChange>

/** Commits a change. Throws `Conflict` when the wiki cannot be changed. */
export async function commitToWiki(
  ctx: SignedInRepoCtx,
  gitKey: GitKey,
  plan: Planner,
): Promise<{ readonly wiki: WikiState; readonly file: string }> {
  const { git, repo, viewer } = ctx
  const ref = branchRef(repo.wiki_branch)
  const people = await commitPeople(ctx, {})
  const leaveTurn = await takeTurn(ctx, gitKey, [ref])
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const head = await git.readRef(gitKey, ref)
      if (head === undefined) await mustBeNew(ctx, gitKey)
      const { edits, message, event, file } = await plan(head && { repoId: repo.id, gitKey, head })
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
          ...(event && {
            effect: (tx) =>
              publishPageEvent(tx, { repoId: repo.id, doerId: viewer.id, message: eventMessage(message) }, event),
          }),
          before: (tx) => mustStillTakeChanges(tx, ctx),
        },
      )
      if (result.ok) return { wiki: { repoId: repo.id, gitKey, head: oid }, file }
      if (result.reason !== 'stale' && result.reason !== 'exists') {
        throw new Conflict(`the wiki cannot be changed: ${result.message}`, 'wiki_unchangeable')
      }
    }
    throw new Unavailable('too many concurrent changes of the wiki; try again', 'wiki_busy')
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
  // A pushed folder or link with the name of the page's file is not replaced.
  throw new BadRequest(`${planned.problem.path} exists and is not a page`, 'wiki_page_exists')
}

/** Throws `Conflict` when a wiki with other branches lacks its branch, which is being renamed: a page would start a second history. */
async function mustBeNew({ git, repo }: SignedInRepoCtx, gitKey: GitKey): Promise<void> {
  if (await git.isEmpty(gitKey)) return
  throw new Conflict(`the wiki has no branch "${repo.wiki_branch}"; try again`, 'wiki_branch_moved')
}

/** Checks the repository again in the transaction of the change. */
async function mustStillTakeChanges(tx: Tx, { repo }: SignedInRepoCtx): Promise<void> {
  const present = await findRepoById(tx, repo.id)
  if (!present) throw new NotFound('the repository does not exist', 'repo_not_found')
  if (present.is_archived) throw new Archived()
  if (present.is_mirror) throw new Forbidden('the wiki of a mirror cannot be changed', 'repo_is_mirror')
  if (present.wiki_branch !== repo.wiki_branch) {
    throw new Conflict(`the branch of the wiki was renamed to "${present.wiki_branch}"; try again`, 'wiki_branch_moved')
  }
}
