import type { ReviewType } from '../../db/tables/pulls.ts'

/** Returns whether a review approves or rejects a pull request. */
export const isVerdict = (type: ReviewType): boolean => type === 'approve' || type === 'reject'
