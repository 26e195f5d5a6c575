import type { RepoCtx } from '../access/context.ts'
import type { Commit } from '../git/git.ts'
import { NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { getHistories, type WikiState } from './page-history.service.ts'
import {
  fileOfName,
  filesOfName,
  isPage,
  nameOfFile,
  subUrlOfFile,
  titleOfName,
  type AskedPage,
} from './page-name.rules.ts'
import { wikiOfRepo } from './wiki-repository.service.ts'

/** Pages that are larger, in bytes, are shown without their content (contract, wiki). */
const maxShownBytes = 10 * 1024 * 1024

/** A page without what it says. */
export interface ListedPage {
  readonly title: string
  readonly subUrl: string
  /** The newest commit that touched its file; undefined when its history cannot be told. */
  readonly lastCommit: Commit | undefined
}

/** A page with what it says; texts that are too large to be shown are empty. */
export interface WholePage extends ListedPage {
  readonly content: Buffer
  readonly commitCount: number
  readonly sidebar: Buffer
  readonly footer: Buffer
}

/** A file of a wiki that is a page. */
export interface PageFile {
  readonly file: string
  readonly oid: Oid
}

export async function getWiki(ctx: RepoCtx): Promise<WikiState> {
  const wiki = await wikiOfRepo(ctx, ctx.repo)
  if (!wiki) throw new NotFound('the wiki has no pages', 'wiki_empty')
  return wiki
}

/** The page that a name stands for, undefined when there is none. */
export async function findPage(ctx: RepoCtx, wiki: WikiState, name: string): Promise<PageFile | undefined> {
  const files = filesOfName(name)
  const found = await ctx.git.findPaths(wiki.gitKey, wiki.head, files)
  for (const file of files) {
    const entry = found.get(file)
    if (entry && isPage(entry)) return { file, oid: entry.oid }
  }
  return undefined
}

export const noSuchPage = (name: string): NotFound => new NotFound(`there is no page ${name}`, 'wiki_page_not_found')

/** A page with what it says, its address spelled as it was asked for. */
export async function getPage(ctx: RepoCtx, asked: AskedPage): Promise<WholePage> {
  const wiki = await getWiki(ctx)
  const page = await findPage(ctx, wiki, asked.name)
  if (!page) throw noSuchPage(asked.name)
  return { ...(await readPage(ctx, wiki, page)), subUrl: asked.subUrl }
}

const sidebarFile = '_Sidebar.md'
const footerFile = '_Footer.md'

export async function readPage(ctx: RepoCtx, wiki: WikiState, page: PageFile): Promise<WholePage> {
  const { git } = ctx
  const { gitKey, head } = wiki
  const [histories, entries] = await Promise.all([
    getHistories(ctx, wiki, [page.file]),
    git.findPaths(gitKey, head, [sidebarFile, footerFile, fileOfName(nameOfFile(page.file))]),
  ])
  const shown = async (oid: Oid | undefined): Promise<Buffer> => {
    const blob = oid && (await git.readBlob(gitKey, oid, { maxBytes: maxShownBytes }))
    return (blob && blob.content) ?? Buffer.alloc(0)
  }
  const beside = (file: string): Promise<Buffer> => {
    const entry = entries.get(file)
    return shown(entry && isPage(entry) ? entry.oid : undefined)
  }
  const [content, sidebar, footer] = await Promise.all([shown(page.oid), beside(sidebarFile), beside(footerFile)])
  const history = histories.get(page.file)
  return {
    title: titleOfName(nameOfFile(page.file)),
    subUrl: subUrlOfFile(page.file, (file) => entries.has(file)),
    lastCommit: history && (await git.readCommit(gitKey, history.lastOid)),
    content,
    commitCount: history?.commitCount ?? 0,
    sidebar,
    footer,
  }
}

/**
 * One page of the pages of a wiki, those in folders not among them. They are counted and divided by what lies at the root
 * of its tree, pages or not (contract, wiki).
 */
export async function listPages(
  ctx: RepoCtx,
  { offset, limit }: Page,
): Promise<{ pages: ListedPage[]; total: number }> {
  const { git } = ctx
  const wiki = await getWiki(ctx)
  const entries = await git.readTree(wiki.gitKey, wiki.head)
  const names = new Set(entries.map(({ name }) => name))
  const files = entries
    .slice(offset, offset + limit)
    .filter(isPage)
    .map(({ name }) => name)
  const histories = await getHistories(ctx, wiki, files)
  const commits = await loadCommits(
    ctx,
    wiki,
    [...histories.values()].map(({ lastOid }) => lastOid),
  )
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

async function loadCommits({ git }: RepoCtx, { gitKey }: WikiState, oids: Iterable<Oid>): Promise<Map<Oid, Commit>> {
  const commits = await git.readCommits(gitKey, [...new Set(oids)])
  return new Map(commits.map((commit) => [commit.oid, commit]))
}

/**
 * One page of the commits that touched the file of a page, newest first. A page that was renamed begins anew, and its
 * former name keeps what it had; a name that never was one is `NotFound`.
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
  // Git walks to the beginning of all history for one commit more than there are.
  const count = Math.min(limit, total - offset)
  if (count <= 0) return { commits: [], total }
  if (total === 1) return { commits: [await git.readCommit(gitKey, lastOid)], total }
  return { commits: await git.log(gitKey, { from: [lastOid], path, skip: offset, limit: count }), total }
}
