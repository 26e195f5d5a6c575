import type { EventData } from '../events/catalogue.ts'
import { branchOf, isZeroOid, tagOf } from '../lib/refs.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type Updated = EventData<'refs.updated'>
type Update = Updated['updates'][number]

/** Most references of one push that are told of, each by itself; mirrors of large projects move thousands at once. */
const maxRefs = 1000

const kindOf = (ref: string): 'branch' | 'tag' => (branchOf(ref) === undefined ? 'tag' : 'branch')

/** Receivers of Gitea's type get short names where references come and go (contract, webhooks: events). */
const withShortRef =
  (ref: string) =>
  (data: object): object => ({ ...data, ref: branchOf(ref) ?? tagOf(ref) ?? ref })

function created({ repoId, doerId }: Updated, { ref, new: oid }: Update): EventPayload {
  return {
    event: 'create',
    eventType: 'create',
    to: { repoId },
    ref,
    needs: { repoIds: [repoId], userIds: [doerId] },
    forGitea: withShortRef(ref),
    async build(kit) {
      const repository = await kit.repository(repoId, 'none')
      return repository && { data: { sha: oid, ref, ref_type: kindOf(ref), repository, sender: kit.person(doerId) } }
    },
  }
}

function deleted({ repoId, doerId }: Updated, { ref }: Update): EventPayload {
  return {
    event: 'delete',
    eventType: 'delete',
    to: { repoId },
    ref,
    needs: { repoIds: [repoId], userIds: [doerId] },
    forGitea: withShortRef(ref),
    async build(kit) {
      const repository = await kit.repository(repoId, 'all')
      const sender = kit.person(doerId)
      return repository && { data: { ref, ref_type: kindOf(ref), pusher_type: 'user', repository, sender } }
    },
  }
}

/** What a push says is in git: it is read when it is sent, from objects that never change. */
function pushed({ repoId, doerId }: Updated, { ref, old, new: oid }: Update): EventPayload {
  return {
    event: 'push',
    eventType: 'push',
    to: { repoId },
    ref,
    needs: { repoIds: [repoId], userIds: [doerId] },
    async build(kit) {
      const home = kit.home(repoId)
      const repository = await kit.repository(repoId, 'all')
      if (!home || !repository) return undefined
      const sender = kit.person(doerId)
      const isOther = isZeroOid(old) && branchOf(ref) !== home.repo.default_branch
      const base = isOther ? await kit.defaultHead(repoId) : undefined
      return {
        data: {
          ref,
          before: old,
          after: oid,
          compare_url: '',
          commits: [],
          total_commits: 0,
          head_commit: null,
          repository,
          pusher: sender,
          sender,
        },
        pending: {
          repoId,
          gitKey: home.repo.git_key,
          ref,
          old,
          new: oid,
          ...(base === undefined ? {} : { base }),
          defaultBranch: home.repo.default_branch,
          webUrl: repoWebUrl({ config: kit.ctx.config, ...home }),
        },
      }
    },
  }
}

function payloadsOfUpdate(data: Updated, update: Update): readonly EventPayload[] {
  const { ref, old, new: oid } = update
  const isBranch = branchOf(ref) !== undefined
  if (!isBranch && tagOf(ref) === undefined) return []
  if (isZeroOid(oid)) return isBranch ? [deleted(data, update)] : [deleted(data, update), pushed(data, update)]
  return isZeroOid(old) ? [created(data, update), pushed(data, update)] : [pushed(data, update)]
}

export const refPayloads: EventPayloads = {
  // Changes of wikis are told by their pages.
  'refs.updated': ({ data }) =>
    data.kind === 'wiki' ? [] : data.updates.slice(0, maxRefs).flatMap((update) => payloadsOfUpdate(data, update)),
}
