import type { Feature } from '../access/feature.ts'
import { pullRefsCheck } from './doctor.service.ts'
import { pullPushExtras } from './push-extras.service.ts'
import { followLinesJob } from './reviews/follow-lines.job.ts'
import { reviews } from './reviews/review.owned.ts'
import { checkPullJob, pullSubscribers } from './pull.subscribers.ts'
import * as pullRoutes from './pull.routes.ts'
import * as pullMergeRoutes from './merge/merge.routes.ts'
import * as pullReviewRoutes from './reviews/review.routes.ts'

/** Pull requests, reviews and merging. */
export const pulls: Feature = {
  routes: [pullRoutes, pullMergeRoutes, pullReviewRoutes],
  subscribers: [...pullSubscribers],
  jobs: [checkPullJob, followLinesJob],
  doctor: [pullRefsCheck],
  owns: [reviews],
  pushExtras: pullPushExtras,
}
