/** Most topics of a repository. */
export const maxTopics = 25

/** Whether a text may be a topic (contract, repositories: topics). */
export const isTopic = (name: string): boolean => name.length <= 35 && /^[a-z0-9][-.a-z0-9]*$/.test(name)

/** Topics as they are kept: trimmed, in lower case, no empty ones, each once. */
export const normaliseTopics = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')),
]
