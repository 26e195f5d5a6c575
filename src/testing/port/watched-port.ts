import { once } from 'node:events'
import inspector from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { builtFile } from '../../lib/assets.ts'

/** What the thread of a watched port gets. */
export interface PortData {
  /** Counts the turns of the main thread. */
  readonly turns: Int32Array<SharedArrayBuffer>
  readonly stallMs: number
  /** The text of the answer. */
  readonly sentence: string
}

/** How often the main thread counts its turns, in milliseconds. */
const turnMs = 500

const sentence =
  'the forge runs in the process that waits for this request, so nobody can answer it; ' +
  'start the command without waiting synchronously, as with execFile of node:child_process'

/** A port whose connections a thread passes on to a forge of this process. */
export interface WatchedPort extends Disposable {
  readonly port: number
  /** Names the port of the forge. */
  leadTo(port: number): void
}

/**
 * Opens a port that answers 503 with the reason when the main thread stands still while a request waits. A synchronous git
 * in a test that started the forge would otherwise wait for itself.
 * @param stallMs how long the main thread may stand still, in milliseconds; a debugger may stop it for longer
 */
export async function openWatchedPort(stallMs: number): Promise<WatchedPort> {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: PortData = { turns, sentence, stallMs: inspector.url() === undefined ? stallMs : Infinity }
  // Some options of the process are refused for a file, such as --input-type.
  const worker = new Worker(builtFile('port-worker.js'), { workerData, execArgv: [], name: 'port of a forge' })
  const [port] = (await once(worker, 'message')) as [number]
  worker.unref()
  const turning = setInterval(() => Atomics.add(turns, 0, 1), turnMs).unref()
  return {
    port,
    leadTo: (target) => worker.postMessage(target, []),
    [Symbol.dispose]() {
      clearInterval(turning)
      void worker.terminate()
    },
  }
}
