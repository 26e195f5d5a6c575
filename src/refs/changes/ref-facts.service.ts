import type { Services } from '../../access/context.ts'
import type { PushedUpdate } from '../../git/git-service.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { branchOf, isZeroOid, tagOf } from '../../lib/refs.ts'
import type { BranchFact, TagFact } from './ref.store.ts'

/** Tags read concurrently; a push may bring thousands. */
const tagsAtOnce = 16

/** Values for the rows of branches and tags after references moved. */
export async function readRefFacts(
  services: Pick<Services, 'git'>,
  key: GitKey,
  moved: readonly PushedUpdate[],
): Promise<{ branches: BranchFact[]; tags: TagFact[] }> {
  const [branches, tags] = await Promise.all([branchFacts(services, key, moved), tagFacts(services, key, moved)])
  return { branches, tags }
}

async function branchFacts(
  services: Pick<Services, 'git'>,
  key: GitKey,
  moved: readonly PushedUpdate[],
): Promise<BranchFact[]> {
  const changed = moved.flatMap((update) => {
    const name = branchOf(update.ref)
    return name === undefined ? [] : [{ name, oid: update.new }]
  })
  const heads = changed.filter(({ oid }) => !isZeroOid(oid)).map(({ oid }) => oid)
  const commits = new Map(
    (await services.git.readCommits(key, [...new Set(heads)])).map((commit) => [commit.oid, commit]),
  )
  return changed.map(({ name, oid }) => {
    const commit = commits.get(oid)
    return { name, head: commit && { oid, committedUnix: commit.committer.unixSeconds } }
  })
}

async function tagFacts(
  services: Pick<Services, 'git'>,
  key: GitKey,
  moved: readonly PushedUpdate[],
): Promise<TagFact[]> {
  const changed = moved.flatMap((update) => {
    const name = tagOf(update.ref)
    return name === undefined ? [] : [{ name, oid: update.new }]
  })
  return mapLimited(changed, tagsAtOnce, async ({ name, oid }) => {
    if (isZeroOid(oid)) return { name, target: undefined }
    const found = await services.git.resolve(key, oid)
    const commitOid = found?.commit ?? oid
    const createdUnix = await tagTime(services, key, oid, found?.type, commitOid)
    return { name, target: { oid, commitOid, createdUnix } }
  })
}

/** The time of an annotated tag, or of the commit of a lightweight tag; 0 for tags of blobs and trees. */
async function tagTime(
  services: Pick<Services, 'git'>,
  key: GitKey,
  oid: Oid,
  type: string | undefined,
  commitOid: Oid,
): Promise<number> {
  if (type === 'tag') {
    const { tagger } = await services.git.readTag(key, oid)
    if (tagger) return tagger.unixSeconds
  }
  if (type !== 'tag' && type !== 'commit') return 0
  return (await services.git.readCommit(key, commitOid)).committer.unixSeconds
}
