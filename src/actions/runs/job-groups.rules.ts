import type { ActionRunRow, ActionStatus, GroupState } from '../../db/tables/actions.ts'
import type { ActionJobId } from '../../lib/ids.ts'
import type { GroupMember } from './group.store.ts'

/** The properties of a job that decide about its concurrency groups. */
interface GroupedJob {
  readonly id: ActionJobId
  readonly job_key: string
  /** JSON. */
  readonly needs: string
  readonly is_call: boolean
  readonly is_deferred: boolean
  readonly status: ActionStatus
  readonly concurrency_group: string
  readonly group_cancels: boolean
  readonly group_state: GroupState
}

/** Returns the beginning of the keys of the jobs that a call contains; undefined for a call of nothing. */
function prefixOfCall({ needs }: Pick<GroupedJob, 'needs'>): string | undefined {
  const [first] = JSON.parse(needs) as string[]
  return first?.slice(0, first.lastIndexOf('/') + 1)
}

/** Returns a function that tells whether a call contains a job; other jobs contain none. */
function containing(call: Pick<GroupedJob, 'needs' | 'is_call'>): (job: Pick<GroupedJob, 'job_key'>) => boolean {
  const prefix = call.is_call ? prefixOfCall(call) : undefined
  return ({ job_key: key }) => prefix !== undefined && key.startsWith(prefix)
}

/** Returns a function that tells whether a job ends with a member of a group: the member itself, or a job that it calls. */
export function isOfMember(member: GroupedJob): (job: Pick<GroupedJob, 'id' | 'job_key'>) => boolean {
  const contains = containing(member)
  return (job) => job.id === member.id || contains(job)
}

/**
 * Returns a function that returns the jobs whose groups a job needs, the outermost call first. A group that a call around the
 * job or the run already belongs to counts once: the job would wait for itself.
 */
export function groupsAround<Job extends GroupedJob>(
  run: Pick<ActionRunRow, 'concurrency_group'>,
  jobs: readonly Job[],
): (job: Job) => readonly Job[] {
  const calls = jobs
    .flatMap((call) => {
      const prefix = call.is_call && call.concurrency_group !== '' ? prefixOfCall(call) : undefined
      return prefix === undefined ? [] : [{ call, prefix }]
    })
    .toSorted((one, other) => one.prefix.length - other.prefix.length)
  return (job) => {
    const around = calls.flatMap(({ call, prefix }) => (job.job_key.startsWith(prefix) ? [call] : []))
    const known = new Set([run.concurrency_group])
    return [...around, ...(job.is_call ? [] : [job])].filter(({ concurrency_group: group }) => {
      if (group === '' || known.has(group)) return false
      known.add(group)
      return true
    })
  }
}

/** Whether a member leaves its group only after a job has ended: the job is part of the run or of the call. */
function endsAfter(holder: GroupMember, job: Pick<GroupMember, 'runId' | 'job_key'>): boolean {
  if (holder.runId !== job.runId) return false
  return holder.jobId === null || containing(holder)(job)
}

/**
 * Returns the groups by which a waiting job waits for itself: the member of its group has a job that waits in a group whose
 * member has a job that waits …, and the last one contains the job. Undefined when it does not.
 * @param members all members of the groups of a repository
 */
export function deadlockOf(waiter: GroupMember, members: readonly GroupMember[]): readonly string[] | undefined {
  const byGroup = Map.groupBy(members, ({ group }) => group)
  const waiting = members.filter(({ isWaiting, jobId }) => isWaiting && jobId !== null)
  const seen = new Set<string>()
  const search = (group: string, path: readonly string[]): readonly string[] | undefined => {
    if (seen.has(group)) return undefined
    seen.add(group)
    for (const holder of byGroup.get(group) ?? []) {
      if (holder.isWaiting) continue
      if (endsAfter(holder, waiter)) return path
      for (const next of waiting) {
        const found = endsAfter(holder, next) ? search(next.group, [...path, next.group]) : undefined
        if (found) return found
      }
    }
    return undefined
  }
  return search(waiter.group, [waiter.group])
}

/** A decision about the jobs that enter a group at once. */
interface GroupEntry<Job, Member> {
  readonly inside: readonly Job[]
  readonly waiting: readonly Job[]
  /** The jobs among those that enter, and the members, which a newer job replaces. */
  readonly replaced: readonly Job[]
  readonly cancelled: readonly Member[]
}

/** Decides about jobs that enter a group one after the other. At most one job runs, and the newest one waits. */
export function enterInTurn<
  Job extends Pick<GroupedJob, 'group_cancels'>,
  Member extends { readonly isWaiting: boolean },
>(entering: readonly Job[], members: readonly Member[]): GroupEntry<Job, Member> {
  let inside: Job | undefined
  let waiting: Job | undefined
  let running = members.filter(({ isWaiting }) => !isWaiting)
  const cancelled = members.filter(({ isWaiting }) => isWaiting)
  const replaced: Job[] = []
  for (const job of entering) {
    if (waiting) replaced.push(waiting)
    waiting = undefined
    if (job.group_cancels) {
      cancelled.push(...running)
      running = []
      if (inside) replaced.push(inside)
      inside = undefined
    }
    if (inside || running.length > 0) waiting = job
    else inside = job
  }
  return { inside: inside ? [inside] : [], waiting: waiting ? [waiting] : [], replaced, cancelled }
}
