/** The reference of a repository that keeps the head of one of its pull requests. */
export const pullRef = (index: number): string => `refs/pull/${index}/head`
