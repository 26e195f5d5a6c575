import { parentPort } from 'node:worker_threads'

/**
 * Runs the jobs of an `OwnThread` inside the thread, one at a time.
 * @param work returns the result of a job; an exception is a defect
 */
export function serveThread(work: (job: never) => Promise<unknown>): void {
  if (parentPort === null) throw new Error('this file is the entry of a worker thread')
  const port = parentPort
  // What starting took is not charged to the first job.
  port.postMessage({ id: 0, cpuUs: usedUs() })
  port.on('message', ({ id, job }: { readonly id: number; readonly job: never }) => {
    void work(job).then(
      (answer) => port.postMessage({ id, answer, cpuUs: usedUs() }),
      (error: unknown) =>
        port.postMessage({
          id,
          defect: Error.isError(error) ? (error.stack ?? error.message) : String(error),
          cpuUs: usedUs(),
        }),
    )
  })
}

function usedUs(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
