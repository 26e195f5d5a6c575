import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Metrics of an application for Prometheus. */
export interface Metrics {
  requestAnswered(facts: { readonly operationId: string; readonly status: number; readonly durationMs: number }): void
  jobFinished(facts: { readonly name: string; readonly result: string; readonly durationMs: number }): void
  /** Records that the event loop was blocked. */
  loopStalled(facts: { readonly ms: number }): void
  gitFinished(facts: { readonly command: string; readonly ok: boolean; readonly durationMs: number }): void
  /** Returns the metrics in the Prometheus text format. */
  render(): Promise<string>
  readonly contentType: string
  /** Stops continuous measurements. */
  close(): void
}

/** Values that are read when metrics are requested. */
export interface MetricSources {
  queue(): Promise<{
    readonly oldestDueMs: number
    readonly byName: readonly { name: string; waiting: number; running: number; failed: number }[]
  }>
  /** Row counts by kind. */
  totals(): Promise<Readonly<Record<string, number>>>
  watchers(): number
  /** Used slots and queue lengths, by kind. */
  /** Bytes of caches, by name. */
  caches(): ReadonlyMap<string, number>
  slots(): Readonly<Record<string, { readonly taken: number; readonly waiting: number }>>
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const workBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600]

/** Starts to measure. Labels have closed sets of values: operations, statuses, job names, git commands. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'ingot_http_request_duration_seconds',
    help: 'time from a request to the end of its answer, by operation and class of status',
    labelNames: ['operation', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const jobs = new Histogram({
    name: 'ingot_job_duration_seconds',
    help: 'time of one attempt of a background job, by its result',
    labelNames: ['job', 'result'],
    buckets: workBuckets,
    registers,
  })
  const git = new Histogram({
    name: 'ingot_git_command_duration_seconds',
    help: 'time of git commands',
    labelNames: ['command'],
    buckets: workBuckets,
    registers,
  })
  const gitFailures = new Counter({
    name: 'ingot_git_command_failures_total',
    help: 'git commands that failed',
    labelNames: ['command'],
    registers,
  })
  const stalls = new Histogram({
    name: 'ingot_event_loop_stall_seconds',
    help: 'times in which the event loop stood still for longer than a fifth of a second',
    buckets: [0.5, 1, 2.5, 5, 10],
    registers,
  })
  const queued = new Gauge({
    name: 'ingot_jobs',
    help: 'background jobs by name and state',
    labelNames: ['job', 'state'],
    registers,
  })
  const oldest = new Gauge({
    name: 'ingot_oldest_due_job_seconds',
    help: 'how long the job that waits longest has been due',
    registers,
  })
  const totals = new Gauge({
    name: 'ingot_rows',
    help: 'how many there are of a thing',
    labelNames: ['kind'],
    registers,
  })
  const watchers = new Gauge({ name: 'ingot_event_watchers', help: 'open streams of events', registers })
  const slots = new Gauge({
    name: 'ingot_places',
    help: 'requests under way and places for git and for expensive work, by kind and state',
    labelNames: ['kind', 'state'],
    registers,
  })

  const caches = new Gauge({
    name: 'ingot_cache_bytes',
    help: 'memory of what is remembered, by what it is; all of it together is bounded by [ingot].CACHE_SIZE',
    labelNames: ['cache'],
    registers,
  })

  async function collect(): Promise<void> {
    const [queue, counts] = await Promise.all([sources.queue(), sources.totals()])
    queued.reset()
    for (const { name, ...states } of queue.byName) {
      for (const [state, count] of Object.entries(states)) queued.set({ job: name, state }, count)
    }
    oldest.set(queue.oldestDueMs / 1000)
    for (const [kind, count] of Object.entries(counts)) totals.set({ kind }, count)
    watchers.set(sources.watchers())
    for (const [cache, bytes] of sources.caches()) caches.set({ cache }, bytes)
    for (const [kind, states] of Object.entries(sources.slots())) {
      for (const [state, count] of Object.entries(states)) slots.set({ kind, state }, count)
    }
  }

  return {
    requestAnswered: ({ operationId, status, durationMs }) =>
      requests.observe({ operation: operationId, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000),
    loopStalled: ({ ms }) => stalls.observe(ms / 1000),
    jobFinished: ({ name, result, durationMs }) => jobs.observe({ job: name, result }, durationMs / 1000),
    gitFinished({ command, ok, durationMs }) {
      git.observe({ command }, durationMs / 1000)
      if (!ok) gitFailures.inc({ command })
    },
    async render() {
      await collect()
      return registry.metrics()
    },
    contentType: registry.contentType,
    close: () => registry.clear(),
  }
}
