import { subjectOf } from '../code/commits/message.rules.ts'
import type { RepoCtx } from '../access/context.ts'
import { revisionOrDefault } from '../code/commits/named-commit.service.ts'
import { pluck } from '../lib/pluck.ts'
import { escapePath } from '../lib/escape-url.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import { listPullsMergedBy } from './release-notes.store.ts'
import { findLatestRelease } from './release.store.ts'

/** Most commits since the previous release that are looked at, and most lines of commits. */
const maxCommits = 500
const maxLines = 100

/** The headings and lines of generated notes. */
export interface NotesTexts {
  readonly pulls: string
  readonly commits: string
  readonly pull: (pull: { readonly title: string; readonly number: number; readonly poster: string }) => string
  readonly commit: (commit: { readonly subject: string; readonly shortId: string }) => string
  readonly all: (address: string, range: string) => string
}

/**
 * Returns notes in Markdown: the pull requests merged since the newest published release, or without any the commits.
 * Throws `NotFound` for an unknown target.
 * @param tag the tag of the new release; it may be missing
 * @param target the branch, tag or commit of a missing tag; empty: the default branch
 */
export async function generateNotes(
  ctx: RepoCtx,
  { tag, target }: { readonly tag: string; readonly target: string },
  texts: NotesTexts,
): Promise<string> {
  const { db, git, repo } = ctx
  const key = repo.git_key
  const known = tag === '' ? undefined : await git.resolveRef(key, `refs/tags/${tag}`)
  const head = known?.commit ?? (await revisionOrDefault(ctx, target)).commit
  const latest = await findLatestRelease(db, repo.id)
  const previous = latest && latest.tag_name !== tag ? latest.tag_name : undefined
  const since = previous === undefined ? undefined : await git.resolveRef(key, `refs/tags/${previous}`)
  const commits = await git.log(key, { from: [head], not: since?.commit ? [since.commit] : [], limit: maxCommits })
  const pulls = commits.length === 0 ? [] : await listPullsMergedBy(db, repo.id, pluck(commits, 'oid'))
  const lines =
    pulls.length > 0
      ? [`## ${texts.pulls}`, '', ...pulls.slice(0, maxLines).map((pull) => texts.pull(pull))]
      : [
          `## ${texts.commits}`,
          '',
          ...commits
            .filter((commit) => commit.parents.length < 2)
            .slice(0, maxLines)
            .map(({ oid, message }) => texts.commit({ subject: subjectOf(message), shortId: oid.slice(0, 10) })),
        ]
  if (previous === undefined || tag === '') return `${lines.join('\n')}\n`
  const range = `${previous}...${tag}`
  return `${lines.join('\n')}\n\n${texts.all(`${repoWebUrl(ctx)}/compare/${escapePath(range)}`, range)}\n`
}
