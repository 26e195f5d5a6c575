import { subscriber } from '../events/subscriber.ts'
import { isZeroOid, tagOf } from '../lib/refs.ts'
import { changeRelease } from './release-record.service.ts'
import { listPublishedOfTags } from './release.store.ts'

/** Turns a published release into a draft when a push or a mirror deletes its tag. */
export const withdrawReleasesWithoutTag = subscriber({
  name: 'withdrawReleasesWithoutTag',
  on: 'refs.updated',
  async inTransaction(tx, { data: { repoId, doerId, kind, updates } }) {
    if (kind === 'wiki') return
    const gone = updates.flatMap((update) => (isZeroOid(update.new) ? (tagOf(update.ref) ?? []) : []))
    for (const release of await listPublishedOfTags(tx, repoId, gone)) {
      await changeRelease(tx, release, { is_draft: true }, doerId)
    }
  },
})
