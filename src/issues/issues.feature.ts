import type { Feature } from '../access/feature.ts'
import * as issueCommentRoutes from './comment.routes.ts'
import * as issueRoutes from './issue.routes.ts'
import * as issueLabelRoutes from './label.routes.ts'
import * as issueMilestoneRoutes from './milestone.routes.ts'
import * as issueReactionRoutes from './reaction.routes.ts'
import * as issuePinRoutes from './pin.routes.ts'
import * as issueSubscriptionRoutes from './subscription.routes.ts'
import * as issueDependencyRoutes from './dependency.routes.ts'
import * as issueTimeRoutes from './time.routes.ts'
import * as issueAttachmentRoutes from './attachment.routes.ts'
import * as orgLabelRoutes from './org-label.routes.ts'
import * as issueTemplateRoutes from './template.routes.ts'
import { issueFileUsage } from './attachment-row.service.ts'
import { issueCounters } from './counter.store.ts'
import { dropLabelsOfOldOwner, makeFirstLabels } from './label.subscribers.ts'
import { copyTemplateLabels } from './template-label.subscribers.ts'
import { removeAttachmentFile, removeAttachmentsOfRepo } from './attachment.subscribers.ts'
import { tracesOfIssues, writings } from './writing.owned.ts'
import { readCommitMessages } from './commit-reference.subscribers.ts'

/** Issues, comments, labels, milestones, attachments and what belongs to them. */
export const issues: Feature = {
  routes: [
    issueCommentRoutes,
    issueRoutes,
    issueLabelRoutes,
    issueMilestoneRoutes,
    issueReactionRoutes,
    issuePinRoutes,
    issueSubscriptionRoutes,
    issueDependencyRoutes,
    issueTimeRoutes,
    issueAttachmentRoutes,
    orgLabelRoutes,
    issueTemplateRoutes,
  ],
  subscribers: [
    dropLabelsOfOldOwner,
    makeFirstLabels,
    copyTemplateLabels,
    removeAttachmentFile,
    removeAttachmentsOfRepo,
    readCommitMessages,
  ],
  files: [{ table: 'attachment', column: 'blob_key', store: 'attachments' }],
  counters: issueCounters,
  usage: [issueFileUsage],
  owns: [writings, tracesOfIssues],
}
