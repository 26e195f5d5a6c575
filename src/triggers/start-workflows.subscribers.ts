import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { getEvent } from '../events/cursor.ts'
import { startWorkflows } from './start-workflows.ts'
import { hasNoWorkflows } from './without-workflows.store.ts'

/**
 * Starts workflows after the commit of an event. The lane keeps the events of one repository in order, because a newer push
 * cancels the runs of an older one. The priority is high, because people wait for the runs.
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
    // A package belongs to an account; the job looks up the repository that it is linked to.
    if (name === 'package.created' || name === 'package.deleted') return `workflows of packages ${data.packageId}`
    return `workflows ${name === 'repo.forked' ? data.baseId : data.repoId}`
  },
  // Events of issues are frequent, and most repositories have no workflows: they need no job.
  isNeeded: async (tx, { data }) => !('isPull' in data) || data.isPull || !(await hasNoWorkflows(tx, data.repoId)),
  async afterCommit(ctx: Ctx, _event, { db, eventId }) {
    const event = await getEvent(db, eventId)
    if (event) await startWorkflows(ctx, event)
  },
})
