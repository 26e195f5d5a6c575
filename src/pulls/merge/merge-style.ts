/** Merge styles that move the base to a new commit. */
export const buildStyles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only'] as const
export type BuildStyle = (typeof buildStyles)[number]

/** All merge styles: those that the server performs, and marking a merge made by hand. */
export const mergeStyles = [...buildStyles, 'manually-merged'] as const
export type MergeStyle = (typeof mergeStyles)[number]
