import type { Feature } from '../access/feature.ts'
import * as issueCommentRoutes from './comments/comment.routes.ts'
import * as issueRoutes from './issue.routes.ts'
import * as issueTimelineRoutes from './timeline/timeline.routes.ts'
import * as issueLabelRoutes from './labels/label.routes.ts'
import * as issueMilestoneRoutes from './milestones/milestone.routes.ts'
import * as issueReactionRoutes from './social/reaction.routes.ts'
import * as issuePinRoutes from './social/pin.routes.ts'
import * as issueSubscriptionRoutes from './social/subscription.routes.ts'
import * as issueDependencyRoutes from './dependencies/dependency.routes.ts'
import * as issueRelationRoutes from './relations/relation.routes.ts'
import * as issueTimeRoutes from './time/time.routes.ts'
import * as issueAttachmentRoutes from './attachments/attachment.routes.ts'
import * as orgLabelRoutes from './labels/org-label.routes.ts'
import * as issueTemplateRoutes from './templates/template.routes.ts'
import { issueFiles } from './attachments/attachment.service.ts'
import { issueCounters } from './counter.store.ts'
import { listColumnsCheck } from './lists/doctor.service.ts'
import { dropLabelsOfOldOwner, makeFirstLabels } from './labels/label.subscribers.ts'
import { copyTemplateLabels } from './labels/template-label.subscribers.ts'
import { dropUnseenSubscriptions } from './social/subscription.subscribers.ts'
import { tracesOfIssues, writings } from './writing.owned.ts'
import { readCommitMessages } from './references/commit-reference.subscribers.ts'

/** Issues, comments, labels, milestones, attachments, reactions and time tracking. */
export const issues: Feature = {
  routes: [
    issueCommentRoutes,
    issueTimelineRoutes,
    issueRoutes,
    issueLabelRoutes,
    issueMilestoneRoutes,
    issueReactionRoutes,
    issuePinRoutes,
    issueSubscriptionRoutes,
    issueDependencyRoutes,
    issueRelationRoutes,
    issueTimeRoutes,
    issueAttachmentRoutes,
    orgLabelRoutes,
    issueTemplateRoutes,
  ],
  subscribers: [dropLabelsOfOldOwner, makeFirstLabels, copyTemplateLabels, readCommitMessages, dropUnseenSubscriptions],
  fileHolders: [issueFiles],
  counters: issueCounters,
  doctor: [listColumnsCheck],
  owns: [writings, tracesOfIssues],
}
