/** Ways of bringing a head into a base that make the base a new commit. */
export const buildStyles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only'] as const
export type BuildStyle = (typeof buildStyles)[number]

/** What a pull request can be merged by: a build, or a commit that somebody made by hand. */
export const mergeStyles = [...buildStyles, 'manually-merged'] as const
export type MergeStyle = (typeof mergeStyles)[number]
