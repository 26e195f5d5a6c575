/** Returns the first line of a message of a commit or tag. */
export const subjectOf = (message: string): string => (message.split('\n', 1)[0] ?? '').trim()

/** Returns a message without its first line. */
export const messageBody = (message: string): string => message.slice(message.split('\n', 1)[0]?.length ?? 0).trim()
