import type { ReviewType } from '../../db/tables/pulls.ts'

/** Whether a review decides for or against a pull request. */
export const isVerdict = (type: ReviewType): boolean => type === 'approve' || type === 'reject'
