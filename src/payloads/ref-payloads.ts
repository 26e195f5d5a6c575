import type { EventData } from '../events/catalogue.ts'
import { branchOf, isZeroOid, tagOf } from '../lib/refs.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type Updated = EventData<'refs.updated'>
type Update = Updated['updates'][number]

/** Most references of one push that get payloads; a mirror of a large project moves thousands at once. */
const maxRefs = 1000

const kindOf = (ref: string): 'branch' | 'tag' => (branchOf(ref) === undefined ? 'tag' : 'branch')

/** Webhooks of the type `gitea` get short names for created and deleted references (contract, webhooks: events). */
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
    async build(presenter) {
      const repository = await presenter.repository(repoId, 'none')
      return (
        repository && { data: { sha: oid, ref, ref_type: kindOf(ref), repository, sender: presenter.person(doerId) } }
      )
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
    async build(presenter) {
      const repository = await presenter.repository(repoId, 'all')
      const sender = presenter.person(doerId)
      return repository && { data: { ref, ref_type: kindOf(ref), pusher_type: 'user', repository, sender } }
    },
  }
}

/** The commits are read from git when the payload is sent: a transaction awaits only the database. */
function pushed({ repoId, doerId }: Updated, { ref, old, new: oid }: Update): EventPayload {
  return {
    event: 'push',
    eventType: 'push',
    to: { repoId },
    ref,
    needs: { repoIds: [repoId], userIds: [doerId] },
    async build(presenter) {
      const home = presenter.home(repoId)
      const repository = await presenter.repository(repoId, 'all')
      if (!home || !repository) return undefined
      const sender = presenter.person(doerId)
      const isNewBranch = isZeroOid(old) && branchOf(ref) !== home.repo.default_branch
      const base = isNewBranch ? await presenter.defaultHead(repoId) : undefined
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
          webUrl: repoWebUrl({ config: presenter.ctx.config, ...home }),
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
  // Pushes to wikis are reported by the events of their pages.
  'refs.updated': ({ data }) =>
    data.kind === 'wiki' ? [] : data.updates.slice(0, maxRefs).flatMap((update) => payloadsOfUpdate(data, update)),
}
