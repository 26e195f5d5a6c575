import { subscriber } from '../events/subscriber.ts'
import { isZeroOid, tagOf } from '../lib/refs.ts'
import { changeRelease } from './release-record.service.ts'
import { listPublishedOfTags } from './release.store.ts'

/** A published release has a tag: whose tag was deleted, by a push or a mirror, is a draft again. */
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
