/** Returns the key of a job in its own file. The stored key of a job of a called workflow begins with the keys of its callers. */
export const shortKey = (key: string): string => (key.split('/').at(-1) as string).replace(/#\d+$/, '')
