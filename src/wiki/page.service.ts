import type { RepoCtx } from '../access/context.ts'
import { checkRevisionName, findNamedCommit } from '../code/commits/named-commit.service.ts'
import { pluck } from '../lib/pluck.ts'
import type { Commit } from '../git/git.ts'
import { NotFound } from '../lib/errors.ts'
import type { GitKey, Oid } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { getHistories, type WikiState } from './page-history.service.ts'
import {
  fileOfName,
  filesOfName,
  isPage,
  nameOfFile,
  subUrlOfFile,
  titleOfName,
  type PageAddress,
} from './page-name.rules.ts'
import { wikiOfRepo } from './wiki-repository.service.ts'

/** Larger pages are presented without their content (contract, wiki). */
const maxShownBytes = 10 * 1024 * 1024

/** A page without its content. */
export interface ListedPage {
  readonly title: string
  readonly subUrl: string
  /** The last commit that changed its file; undefined when the history is unknown. */
  readonly lastCommit: Commit | undefined
}

/** A page with its content. Content that is too large is empty. */
export interface WholePage extends ListedPage {
  readonly content: Buffer
  readonly commitCount: number
  readonly sidebar: Buffer
  readonly footer: Buffer
}

/** The file of a page. */
export interface PageFile {
  readonly file: string
  readonly oid: Oid
}

export async function getWiki(ctx: RepoCtx): Promise<WikiState> {
  const wiki = await wikiOfRepo(ctx, ctx.repo)
  if (!wiki) throw new NotFound('the wiki has no pages', 'wiki_empty')
  return wiki
}

/** Returns the page of a name. */
export async function findPage(ctx: RepoCtx, wiki: WikiState, name: string): Promise<PageFile | undefined> {
  const files = filesOfName(name)
  const found = await ctx.git.findPaths(wiki.gitKey, wiki.head, files)
  for (const file of files) {
    const entry = found.get(file)
    if (entry && isPage(entry)) return { file, oid: entry.oid }
  }
  return undefined
}

export const noSuchPage = (name: string): NotFound =>
  new NotFound(`wiki page "${name}" does not exist`, 'wiki_page_not_found')

/** Returns a page with its content and the address of the request. Throws `NotFound`. */
export async function getPage(ctx: RepoCtx, address: PageAddress): Promise<WholePage> {
  const wiki = await getWiki(ctx)
  const page = await findPage(ctx, wiki, address.name)
  if (!page) throw noSuchPage(address.name)
  return { ...(await readPage(ctx, wiki, page)), subUrl: address.subUrl }
}

const sidebarFile = '_Sidebar.md'
const footerFile = '_Footer.md'

export async function readPage(ctx: RepoCtx, wiki: WikiState, page: PageFile): Promise<WholePage> {
  const { git } = ctx
  const { gitKey, head } = wiki
  const [histories, entries] = await Promise.all([
    getHistories(ctx, wiki, [page.file]),
    git.findPaths(gitKey, head, [sidebarFile, footerFile, ...filesOfName(nameOfFile(page.file))]),
  ])
  const contentOf = async (oid: Oid | undefined): Promise<Buffer> => {
    const blob = oid && (await git.readBlob(gitKey, oid, { maxBytes: maxShownBytes }))
    return (blob && blob.content) ?? Buffer.alloc(0)
  }
  const hasPage = (file: string): boolean => {
    const entry = entries.get(file)
    return entry !== undefined && isPage(entry)
  }
  const contentOfFile = (file: string): Promise<Buffer> => contentOf(hasPage(file) ? entries.get(file)?.oid : undefined)
  const [content, sidebar, footer] = await Promise.all([
    contentOf(page.oid),
    contentOfFile(sidebarFile),
    contentOfFile(footerFile),
  ])
  const history = histories.get(page.file)
  return {
    title: titleOfName(nameOfFile(page.file)),
    subUrl: subUrlOfFile(page.file, hasPage),
    lastCommit: history && (await git.readCommit(gitKey, history.lastOid)),
    content,
    commitCount: history?.commitCount ?? 0,
    sidebar,
    footer,
  }
}

/**
 * Returns one page of the list of wiki pages, without those in folders. Total and paging count all entries of the root tree,
 * pages or not (contract, wiki).
 */
export async function listPages(
  ctx: RepoCtx,
  { offset, limit }: Page,
): Promise<{ pages: ListedPage[]; total: number }> {
  const { git } = ctx
  const wiki = await getWiki(ctx)
  const entries = await git.readTree(wiki.gitKey, wiki.head)
  const names = new Set(pluck(entries.filter(isPage), 'name'))
  const files = entries
    .slice(offset, offset + limit)
    .filter(isPage)
    .map(({ name }) => name)
  const histories = await getHistories(ctx, wiki, files)
  const commits = await loadCommits(ctx, wiki, pluck([...histories.values()], 'lastOid'))
  const pages = files.map((file) => {
    const lastOid = histories.get(file)?.lastOid
    return {
      title: titleOfName(nameOfFile(file)),
      subUrl: subUrlOfFile(file, (other) => names.has(other)),
      lastCommit: lastOid && commits.get(lastOid),
    }
  })
  return { pages, total: entries.length }
}

/** Returns titles and addresses of the pages at the root in the order of their files, without sidebar and footer. */
export async function listPageTitles(
  ctx: RepoCtx,
  limit: number,
): Promise<readonly { readonly title: string; readonly subUrl: string }[]> {
  const wiki = await getWiki(ctx)
  const entries = await ctx.git.readTree(wiki.gitKey, wiki.head)
  const names = new Set(pluck(entries.filter(isPage), 'name'))
  return entries
    .filter((entry) => isPage(entry) && entry.name !== sidebarFile && entry.name !== footerFile)
    .slice(0, limit)
    .map(({ name }) => ({
      title: titleOfName(nameOfFile(name)),
      subUrl: subUrlOfFile(name, (other) => names.has(other)),
    }))
}

async function loadCommits({ git }: RepoCtx, { gitKey }: WikiState, oids: Iterable<Oid>): Promise<Map<Oid, Commit>> {
  const commits = await git.readCommits(gitKey, [...new Set(oids)])
  return new Map(commits.map((commit) => [commit.oid, commit]))
}

/**
 * Returns one page of the commits that changed the file of a page, the newest first. A renamed page starts a new history, and
 * the former name keeps the old one. Throws `NotFound` for a name without a history.
 */
export async function listRevisions(
  ctx: RepoCtx,
  name: string,
  { offset, limit }: Page,
): Promise<{ commits: readonly Commit[]; total: number }> {
  const { git } = ctx
  const wiki = await getWiki(ctx)
  const { gitKey } = wiki
  const page = await findPage(ctx, wiki, name)
  const path = page?.file ?? fileOfName(name)
  const history = (await getHistories(ctx, wiki, [path])).get(path)
  if (!history) throw noSuchPage(name)
  const { lastOid, commitCount: total } = history
  // The exact number of commits keeps git from walking to the beginning of the history.
  const count = Math.min(limit, total - offset)
  if (count <= 0) return { commits: [], total }
  if (total === 1) return { commits: await git.readCommits(gitKey, [lastOid]), total }
  return { commits: await git.log(gitKey, { from: [lastOid], path, skip: offset, limit: count }), total }
}

/** Returns a commit of the wiki by its id, and where the wiki lies. Throws `NotFound`. */
export async function getWikiCommit(ctx: RepoCtx, id: string): Promise<{ gitKey: GitKey; commit: Commit }> {
  const { gitKey } = await getWiki(ctx)
  checkRevisionName(id)
  const found = await findNamedCommit(ctx.git, gitKey, id)
  if (!found) throw new NotFound(`the wiki has no commit ${id}`, 'commit_not_found')
  return { gitKey, commit: await ctx.git.readCommit(gitKey, found.commit) }
}
