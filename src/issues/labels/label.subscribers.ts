import { subscriber } from '../../events/subscriber.ts'
import { findLabelTemplate } from '../../site/label.templates.ts'
import { keptColor } from './label.rules.ts'
import { deleteLabelsOfOwner, insertLabels } from './label.store.ts'

/** Removes the labels of the previous organization from the issues of a transferred repository. */
export const dropLabelsOfOldOwner = subscriber({
  name: 'dropLabelsOfOldOwner',
  on: 'repo.transferred',
  inTransaction: (tx, { data }) => deleteLabelsOfOwner(tx, data.repoId, data.oldOwnerId),
})

/** Gives a new repository the labels of the requested set. */
export const makeFirstLabels = subscriber({
  name: 'makeFirstLabels',
  on: 'repo.created',
  async inTransaction(tx, { data, atMs }) {
    const set = data.labelSet === undefined ? undefined : findLabelTemplate(data.labelSet)
    if (!set || set.length === 0) return
    const unix = Math.floor(atMs / 1000)
    await insertLabels(
      tx,
      set.map((label) => ({
        repo_id: data.repoId,
        org_id: null,
        name: label.name,
        description: label.description,
        color: keptColor(label.color),
        is_exclusive: label.exclusive,
        archived_unix: 0,
        created_unix: unix,
        updated_unix: unix,
      })),
    )
  },
})
