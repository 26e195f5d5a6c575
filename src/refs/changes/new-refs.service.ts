import type { Services } from '../../access/context.ts'
import type { BareRef, Ref } from '../../git/git.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { branchOf, tagOf } from '../../lib/refs.ts'
import type { Unix } from '../../lib/time.ts'

/** Values for the rows of branches and tags of a repository without such rows. */
export interface NewRefs {
  /** All references. */
  readonly all: readonly BareRef[]
  readonly branches: { readonly name: string; readonly commit: Oid; readonly commitUnix: Unix }[]
  readonly tags: { readonly name: string; readonly oid: Oid; readonly commitOid: Oid; readonly createdUnix: Unix }[]
}

/** Annotated tags per batch. */
const tagsAtOnce = 64

/** Reads branches and tags from git. Branches that do not point at commits are left out. */
export async function readNewRefs({ git }: Services, key: GitKey): Promise<NewRefs> {
  const [all, { refs: heads }, { refs: tags }] = await Promise.all([
    git.readRefs(key),
    git.listRefs(key, { prefix: 'refs/heads/' }),
    git.listRefs(key, { prefix: 'refs/tags/' }),
  ])
  const commitOids = [...heads, ...tags].filter((ref) => ref.peeledType === 'commit').map((ref) => ref.peeled)
  const commits = new Map(
    (await git.readCommits(key, [...new Set(commitOids)])).map((commit) => [commit.oid, commit.committer.unixSeconds]),
  )
  const taggedUnix = await readTagTimes({ git }, key, tags)
  return {
    all,
    branches: heads.flatMap((ref) => {
      const name = branchOf(ref.name)
      const commitUnix = commits.get(ref.oid)
      return name === undefined || commitUnix === undefined ? [] : [{ name, commit: ref.oid, commitUnix }]
    }),
    tags: tags.flatMap((ref) => {
      const name = tagOf(ref.name)
      const createdUnix = taggedUnix.get(ref.oid) ?? commits.get(ref.peeled) ?? 0
      return name === undefined ? [] : [{ name, oid: ref.oid, commitOid: ref.peeled, createdUnix }]
    }),
  }
}

/** Times of annotated tags that name one. */
async function readTagTimes(
  { git }: Pick<Services, 'git'>,
  key: GitKey,
  tags: readonly Ref[],
): Promise<Map<Oid, Unix>> {
  const annotated = tags.filter((ref) => ref.type === 'tag').map((ref) => ref.oid)
  const times = new Map<Oid, Unix>()
  for (let start = 0; start < annotated.length; start += tagsAtOnce) {
    const read = await git.readTags(key, annotated.slice(start, start + tagsAtOnce))
    for (const [index, { tagger }] of read.entries()) {
      if (tagger) times.set(annotated[start + index] as Oid, tagger.unixSeconds)
    }
  }
  return times
}
