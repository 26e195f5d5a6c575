import type { RepoCtx } from '../../access/context.ts'
import type { TagRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Tag as GitTag } from '../../git/git.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { presentCommitMeta, presentIdentity } from '../commits/commit.present.ts'
import { formatCommitTime } from '../commits/commit-time.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import type { AnnotatedTag, Tag, TagArchiveDownloadCount } from './tag.schemas.ts'
import { listArchiveDownloads } from './tag.store.ts'
import { withinOutput } from '../commits/message.rules.ts'
import { presentVerification } from '../commits/verification.present.ts'
import { verifySignatures } from '../../refs/signing/verification.ts'

type TagFacts = Pick<TagRow, 'name' | 'oid' | 'commit_oid'>

/** Download counts of archives by tag and format. */
export async function loadArchiveDownloads(
  ctx: Pick<RepoCtx, 'db'> & { readonly repo: Pick<RepoCtx['repo'], 'id'> },
  names: readonly string[],
): Promise<(name: string) => TagArchiveDownloadCount> {
  const rows = names.length === 0 ? [] : await listArchiveDownloads(ctx.db, ctx.repo.id, names)
  const counts = new Map(rows.map((row) => [`${row.format}/${row.tag_name}`, row.count]))
  return (name) => ({ zip: counts.get(`zip/${name}`) ?? 0, tar_gz: counts.get(`tar.gz/${name}`) ?? 0 })
}

/** Presents tags. The message is the annotated tag's, or the commit's for a lightweight tag. */
export async function presentTags(ctx: RepoCtx, tags: readonly TagFacts[]): Promise<Tag[]> {
  if (tags.length === 0) return []
  const { git, repo } = ctx
  const light = tags.filter((tag) => tag.oid === tag.commit_oid)
  const [commits, annotated, downloads] = await Promise.all([
    git.readCommits(repo.git_key, pluck(light, 'commit_oid')),
    git.readTags(
      repo.git_key,
      pluck(
        tags.filter((tag) => tag.oid !== tag.commit_oid),
        'oid',
      ),
    ),
    loadArchiveDownloads(ctx, pluck(tags, 'name')),
  ])
  const commitOf = new Map(withinOutput(ctx.budget, commits).map((commit) => [commit.oid, commit]))
  const tagOf = new Map(withinOutput(ctx.budget, annotated).map((tag) => [tag.oid, tag]))
  const web = repoWebUrl(ctx)
  return tags.map(({ name, oid, commit_oid }) => {
    const made = tagOf.get(oid)
    const commit = commitOf.get(commit_oid)
    const when = made ? made.tagger : commit?.committer
    const message = made?.message ?? commit?.message ?? ''
    return {
      name,
      message: message.trim(),
      id: oid,
      // The address has the tag's id: a quirk of the contract (git.md).
      commit: { ...presentCommitMeta(ctx, oid, when && formatCommitTime(when)), sha: commit_oid },
      zipball_url: `${web}/archive/${escapePath(name)}.zip`,
      tarball_url: `${web}/archive/${escapePath(name)}.tar.gz`,
      archive_download_count: downloads(name),
    }
  })
}

export async function presentTag(ctx: RepoCtx, tag: TagFacts): Promise<Tag> {
  const [presented] = await presentTags(ctx, [tag])
  return presented as Tag
}

/** Presents a tag object. */
export async function presentAnnotatedTag(ctx: RepoCtx, tag: GitTag): Promise<AnnotatedTag> {
  const api = repoApiUrl(ctx)
  const signed = { ...tag, committer: tag.tagger }
  const [[verdict], downloads] = await Promise.all([
    verifySignatures(ctx, [signed]),
    loadArchiveDownloads(ctx, [tag.name]),
  ])
  return {
    tag: tag.name,
    sha: tag.oid,
    url: `${api}/git/tags/${tag.oid}`,
    message: tag.message,
    tagger: tag.tagger ? presentIdentity(tag.tagger) : null,
    object: { type: tag.targetType, url: `${api}/git/${tag.targetType}s/${tag.target}`, sha: tag.target },
    verification: presentVerification(signed, verdict ?? { kind: 'unsigned' }),
    archive_download_count: downloads(tag.name),
  }
}
