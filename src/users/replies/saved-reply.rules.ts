/** Longest title and text of a saved reply, in characters. */
export const replyLimits = { title: 100, content: 10_000 } as const
