import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { getEvent } from '../events/cursor.ts'
import { startWorkflows } from './start-workflows.ts'
import { isKnownToHaveNone } from './without-workflows.store.ts'

/**
 * Workflows begin after the commit, those of one repository in the order of what happened there: a newer push takes the place of
 * an older one. Who waits for them is somebody who looks.
 */
export const startWorkflowsOf = subscriber({
  name: 'startWorkflows',
  pool: 'git',
  priority: 'high',
  whenFailing: 'pass',
  on: [
    'refs.updated',
    'repo.forked',
    'issue.opened',
    'issue.closed',
    'issue.reopened',
    'issue.edited',
    'issue.assigned',
    'issue.labelled',
    'issue.milestoned',
    'issue.commented',
    'comment.edited',
    'comment.deleted',
    'pull.opened',
    'pull.retargeted',
    'pull.synchronized',
    'review.requested',
    'review.submitted',
    'release.published',
    'release.updated',
    'release.deleted',
    'package.created',
    'package.deleted',
    'wiki.pageCreated',
    'wiki.pageEdited',
    'wiki.pageDeleted',
  ],
  lane({ name, data }) {
    // A package belongs to an account; the repository that it is linked to is looked up later.
    if (name === 'package.created' || name === 'package.deleted') return `workflows of packages ${data.packageId}`
    return `workflows ${name === 'repo.forked' ? data.baseId : data.repoId}`
  },
  // Most repositories have no workflows, and issues come by the thousand.
  isNeeded: async (tx, { data }) => !('isPull' in data) || data.isPull || !(await isKnownToHaveNone(tx, data.repoId)),
  async afterCommit(ctx: Ctx, _event, { db, eventId }) {
    const event = await getEvent(db, eventId)
    if (event) await startWorkflows(ctx, event)
  },
})
