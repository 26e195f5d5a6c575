import type { ClientShare, GitService } from '../git-service.ts'

/** Takes a slot, starts a service, and releases the slot when the service ends. */
export async function withSlot(
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
