import type { RepoCtx } from '../access/context.ts'
import type { Commit, TreeEntry } from '../git/git.ts'
import { NotFound } from '../lib/errors.ts'
import type { GitKey, Oid } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { branchRef } from '../lib/refs.ts'
import { lastCommitsOf } from './page-history.service.ts'
import {
  fileOfName,
  filesOfName,
  isPageFile,
  nameOfFile,
  subUrlOfFile,
  titleOfName,
  type AskedPage,
} from './page-name.rules.ts'

/** Pages that are larger, in bytes, are shown without their content (contract, wiki). */
const maxShownBytes = 10 * 1024 * 1024

/** A wiki as it is at one commit. */
export interface WikiState {
  readonly gitKey: GitKey
  readonly head: Oid
}

/** A page without what it says. */
export interface ListedPage {
  readonly title: string
  readonly subUrl: string
  /** The newest commit that touched its file; undefined when its history can not be told. */
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

/** The wiki as it is now, undefined when it has never had a page. */
export async function findWiki({ git, repo }: RepoCtx): Promise<WikiState | undefined> {
  const gitKey = repo.wiki_git_key
  const head = gitKey === null ? undefined : await git.readRef(gitKey, branchRef(repo.wiki_branch))
  return gitKey === null || head === undefined ? undefined : { gitKey, head }
}

async function getWiki(ctx: RepoCtx): Promise<WikiState> {
  const wiki = await findWiki(ctx)
  if (!wiki) throw new NotFound('the wiki has no pages', 'wiki_empty')
  return wiki
}

/** Links and folders are no pages, whatever their name is. */
const isPage = ({ type, mode, name }: TreeEntry): boolean => type === 'blob' && mode !== '120000' && isPageFile(name)

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
  const [lastOid, commitCount, entries] = await Promise.all([
    git.lastCommitOfPath(gitKey, head, page.file),
    git.countCommits(gitKey, { from: [head], path: page.file }),
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
  return {
    title: titleOfName(nameOfFile(page.file)),
    subUrl: subUrlOfFile(page.file, (file) => entries.has(file)),
    lastCommit: lastOid && (await git.readCommit(gitKey, lastOid)),
    content,
    commitCount,
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
  const lastOids = await lastCommitsOf(ctx, wiki, files)
  const commits = await loadCommits(ctx, wiki, lastOids.values())
  const pages = files.map((file) => {
    const lastOid = lastOids.get(file)
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
  const { gitKey, head } = await getWiki(ctx)
  const page = await findPage(ctx, { gitKey, head }, name)
  const path = page?.file ?? fileOfName(name)
  const query = { from: [head], path }
  const [total, commits] = await Promise.all([
    git.countCommits(gitKey, query),
    git.log(gitKey, { ...query, skip: offset, limit }),
  ])
  if (total === 0) throw noSuchPage(name)
  return { commits, total }
}
