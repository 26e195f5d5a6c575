import { parentPort } from 'node:worker_threads'

/**
 * The other end of an `OwnThread`, in the thread: answers its jobs, one at a time.
 * @param work gives the answer to a job; what it throws is a defect
 */
export function serveThread(work: (job: never) => Promise<unknown>): void {
  if (parentPort === null) throw new Error('this file is the entry of a worker thread')
  const port = parentPort
  port.on('message', ({ id, job }: { readonly id: number; readonly job: never }) => {
    void work(job).then(
      (answer) => port.postMessage({ id, answer }),
      (error: unknown) =>
        port.postMessage({ id, defect: Error.isError(error) ? (error.stack ?? error.message) : String(error) }),
    )
  })
}
