import type { RepoCtx } from '../../access/context.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Commit as GitCommit, PathEntry } from '../../git/git.ts'
import type { EncodedBody } from '../../lib/encoded-body.ts'
import { escapePath, escapeQuery } from '../../lib/escape-url.ts'
import type { Oid } from '../../lib/ids.ts'
import { listJson } from '../../lib/list-json.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { formatUnix, zeroTime } from '../../lib/time.ts'
import { maxAnswerBytes, WorkTooCostly } from '../../lib/work-budget.ts'
import type { CommitUser } from '../commits/commit.schemas.ts'
import { presentCommitMeta } from '../commits/commit.present.ts'
import { formatCommitTime } from '../commits/commit-time.ts'
import type { ContentsResponse, FileCommitResponse, FileDeleteResponse } from './content.schemas.ts'
import type { Content } from './content.service.ts'
import { entryKind } from './entry-kind.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import { keptAnswer } from '../kept-answers.ts'
import { readSubmodules } from './submodules.ts'
import { presentVerification } from '../commits/verification.present.ts'
import { verifySignatures } from '../../refs/signing/verification.ts'

type ContentContext = Pick<RepoCtx, 'caches' | 'config' | 'git' | 'owner' | 'repo'>

/** The revision in which entries are shown. */
export interface ContentView {
  readonly revision: NamedCommit
  /** The revision as the caller named it, repeated in addresses. */
  readonly ref: string
}

/** Bytes of an entry without its path, at least; and how often it contains the path. */
const entryBytes = 600
const addressesOfEntry = 5

/** Concurrent reads of links. */
const parallelReads = 16

/** Longest shown link target, in bytes; file systems allow no longer ones. */
const maxLinkBytes = 4096

interface Details {
  readonly sizeBytes: number
  /** For a single file: its bytes, or undefined when it is too large. */
  readonly content?: { readonly bytes: Buffer | undefined }
  readonly target?: string | undefined
  readonly submoduleUrl?: string | undefined
  readonly lastCommit: GitCommit
}

function presentEntry(
  context: ContentContext,
  view: ContentView,
  entry: PathEntry,
  details: Details,
): ContentsResponse {
  const { revision } = view
  const api = repoApiUrl(context)
  const web = repoWebUrl(context)
  const kind = entryKind(entry)
  const isHere = kind !== 'submodule'
  const path = escapePath(entry.path)
  const named = `${revision.kind}/${escapePath(revision.name)}/${path}`
  const self = `${api}/contents/${path}?ref=${escapeQuery(view.ref)}`
  const htmlUrl = isHere ? `${web}/src/${named}` : null
  const gitUrl = isHere ? `${api}/git/blobs/${entry.oid}` : null
  return {
    name: entry.name,
    path: entry.path,
    sha: entry.oid,
    last_commit_sha: details.lastCommit.oid,
    last_commit_when: formatCommitTime(details.lastCommit.committer),
    type: kind,
    size: details.sizeBytes,
    encoding: details.content ? 'base64' : null,
    content: details.content ? (details.content.bytes?.toString('base64') ?? '') : null,
    target: details.target ?? null,
    url: self,
    html_url: htmlUrl,
    git_url: gitUrl,
    download_url: kind === 'file' || kind === 'symlink' ? `${web}/raw/${named}` : null,
    submodule_git_url: details.submoduleUrl ?? null,
    _links: { self, git: gitUrl, html: htmlUrl },
  }
}

/** Everything that determines the answer about a path. */
const answerKey = (
  what: 'folder' | 'entry',
  context: ContentContext,
  { revision, ref }: ContentView,
  path: string,
): string[] => {
  const { kind, name, commit } = revision
  return [what, context.repo.git_key, repoApiUrl(context), kind, name, commit, ref, path]
}

/**
 * Presents the entries of a folder without contents, with batched reads. A folder at a commit never changes, so the
 * encoded answer is cached.
 */
export function presentFolder(
  context: ContentContext,
  view: ContentView,
  { path, tree }: { readonly path: string; readonly tree: Oid },
): Promise<EncodedBody<ContentsResponse[]>> {
  return keptAnswer(
    context,
    answerKey('folder', context, view, path),
    async () => {
      const entries = await context.git.readTree(context.repo.git_key, tree)
      const below = path === '' ? '' : `${path}/`
      return presentEntries(
        context,
        view,
        path,
        entries.map((entry) => ({ ...entry, path: below + entry.name })),
      )
    },
    listJson,
  )
}

async function presentEntries(
  context: ContentContext,
  view: ContentView,
  folder: string,
  entries: readonly PathEntry[],
): Promise<ContentsResponse[]> {
  if (entries.length === 0) return []
  const least = entries.reduce((sum, { path }) => sum + entryBytes + path.length * addressesOfEntry, 0)
  if (entries.length > 1 && least > maxAnswerBytes) {
    throw new WorkTooCostly('outputBytes', 'the folder is too large for one answer; git/trees/{sha} lists it in pages')
  }
  const { git, repo } = context
  const key = repo.git_key
  const { commit } = view.revision
  const blobs = entries.filter((entry) => entry.type === 'blob').map((entry) => entry.oid)
  const links = entries.filter((entry) => entryKind(entry) === 'symlink')
  const hasSubmodules = entries.some((entry) => entry.type === 'commit')
  const [sizes, lastOids, targets, submodules] = await Promise.all([
    git.blobSizes(key, blobs),
    git.lastCommitsOfPaths(key, commit, folder, pluck(entries, 'name')),
    mapLimited(links, parallelReads, async (link) => [link.oid, await readLink(context, link.oid)] as const),
    hasSubmodules ? readSubmodules(git, key, commit) : new Map<string, string>(),
  ])
  const last = new Map(
    (await git.readCommits(key, [...new Set(lastOids.values()), commit])).map((each) => [each.oid, each]),
  )
  const targetOf = new Map<string, string | undefined>(targets)
  return entries.map((entry) =>
    presentEntry(context, view, entry, {
      sizeBytes: entry.type === 'blob' ? (sizes.get(entry.oid) ?? 0) : 0,
      target: entryKind(entry) === 'symlink' ? targetOf.get(entry.oid) : undefined,
      submoduleUrl: submodules.get(entry.path),
      lastCommit: last.get(lastOids.get(entry.name) ?? commit) as GitCommit,
    }),
  )
}

/** Presents one path at a commit; cached like folders. */
function presentEntryAt(
  context: ContentContext,
  view: ContentView,
  entry: PathEntry,
): Promise<EncodedBody<ContentsResponse>> {
  return keptAnswer(context, answerKey('entry', context, view, entry.path), () => presentContent(context, view, entry))
}

/**
 * Presents one entry; a file has its content up to the size limit.
 * @param lastCommit the last commit that touched it, if known
 */
export async function presentContent(
  context: ContentContext,
  view: ContentView,
  entry: PathEntry,
  lastCommit?: GitCommit,
): Promise<ContentsResponse> {
  const { git, repo, config } = context
  const key = repo.git_key
  const { commit } = view.revision
  const kind = entryKind(entry)
  const isFile = kind === 'file'
  const [blob, lastOid, submodules] = await Promise.all([
    entry.type === 'blob'
      ? git.readBlob(key, entry.oid, { maxBytes: isFile ? config.api.defaultMaxBlobSize : maxLinkBytes })
      : undefined,
    lastCommit ? lastCommit.oid : git.lastCommitOfPath(key, commit, entry.path),
    kind === 'submodule' ? readSubmodules(git, key, commit) : new Map<string, string>(),
  ])
  return presentEntry(context, view, entry, {
    sizeBytes: blob?.sizeBytes ?? 0,
    ...(isFile ? { content: { bytes: blob?.content } } : {}),
    target: kind === 'symlink' ? blob?.content?.toString('utf8') : undefined,
    submoduleUrl: submodules.get(entry.path),
    lastCommit: lastCommit ?? (await git.readCommit(key, lastOid ?? commit)),
  })
}

const readLink = async ({ git, repo }: ContentContext, oid: Oid): Promise<string | undefined> =>
  (await git.readBlob(repo.git_key, oid, { maxBytes: maxLinkBytes })).content?.toString('utf8')

const inUtc = ({ name, email, unixSeconds }: GitCommit['author']): CommitUser => ({
  name,
  email,
  date: formatUnix(unixSeconds),
})

/**
 * Presents the commit of a change. Unlike elsewhere its tree is the real one, and creation times are unknown
 * (observed).
 */
function presentFileCommit(context: ContentContext & Pick<RepoCtx, 'db'>, commit: GitCommit): FileCommitResponse {
  const api = repoApiUrl(context)
  return {
    ...presentCommitMeta(context, commit.oid),
    html_url: `${repoWebUrl(context)}/commit/${commit.oid}`,
    author: inUtc(commit.author),
    committer: inUtc(commit.committer),
    parents: commit.parents.map((parent) => presentCommitMeta(context, parent)),
    message: commit.message,
    tree: { url: `${api}/git/trees/${commit.tree}`, sha: commit.tree, created: zeroTime },
  }
}

/** The parts that answers to all changes share. */
export async function presentChange(
  context: ContentContext & Pick<RepoCtx, 'db'>,
  commit: GitCommit,
): Promise<Pick<FileDeleteResponse, 'commit' | 'verification'>> {
  const [verdict] = await verifySignatures(context, [commit])
  return {
    commit: presentFileCommit(context, commit),
    verification: presentVerification(commit, verdict ?? { kind: 'unsigned' }),
  }
}

/** Presents the content at a path: a list for a folder, one record for another entry. */
export const presentContentAt = (
  context: ContentContext,
  { revision, ref, content }: ContentView & { readonly content: Content },
): Promise<EncodedBody<ContentsResponse[]> | EncodedBody<ContentsResponse>> =>
  content.kind === 'folder'
    ? presentFolder(context, { revision, ref }, content)
    : presentEntryAt(context, { revision, ref }, content.entry)
