/** Returns the key of a job in its own file. The stored key of a job of a called workflow begins with the keys of its callers. */
export const shortKey = (key: string): string => (key.split('/').at(-1) as string).replace(/#\d+$/, '')

/** Returns the name of a needed job of a calling file for jobs of a called file that has a job of the same key. */
export const callerName = (key: string): string => `caller--${key.replaceAll(/[/#]/g, '--')}`

/**
 * Returns the name by which a job knows one that it needs: its key in its own file, unless a file between them has a job with
 * that key.
 * @param hasJob whether the run has a job with a stored key
 */
export function needName(need: string, job: string, hasJob: (key: string) => boolean): string {
  const short = shortKey(need)
  const file = need.slice(0, need.lastIndexOf('/') + 1)
  for (let at = job.lastIndexOf('/'); at >= file.length; at = job.lastIndexOf('/', at - 1)) {
    if (hasJob(job.slice(0, at + 1) + short)) return callerName(need)
  }
  return short
}
