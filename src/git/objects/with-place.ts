import type { ClientShare, GitService } from '../git.ts'

/** Takes a place, starts a service, and gives the place back when the service ends. */
export async function withPlace(
  share: ClientShare | undefined,
  signal: AbortSignal | undefined,
  start: () => Promise<GitService>,
): Promise<GitService> {
  const release = await share?.admit(signal)
  if (release === undefined) return start()
  try {
    const service = await start()
    service.finished.then(release, release)
    return service
  } catch (error) {
    release()
    throw error
  }
}
