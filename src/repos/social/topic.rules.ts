/** Largest number of topics of a repository. */
export const maxTopics = 25

/** Returns whether a text may be a topic (contract, repositories: topics). */
export const isTopic = (name: string): boolean => name.length <= 35 && /^[a-z0-9][-.a-z0-9]*$/.test(name)

/** Returns topics as they are stored: trimmed, in lower case, without empty and repeated ones. */
export const normaliseTopics = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')),
]
