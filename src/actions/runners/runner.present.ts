import type { Static } from 'typebox'
import type { ActionRegistrationTokenRow, ActionRunnerRow } from '../../db/tables/action-runners.ts'
import { formatUnix } from '../../lib/time.ts'
import { isOnline } from './runner.rules.ts'
import type { RegisteredRunner, RunnerRegistration } from './runner.schemas.ts'

/** A runner is active for this time after its last call about a job, in milliseconds (contract, actions). */
const activeMs = 10_000

export const presentRegistration = (
  row: ActionRegistrationTokenRow | undefined,
): Static<typeof RunnerRegistration> => ({
  is_active: row?.is_active ?? true,
  created_at: row?.is_active ? formatUnix(row.created_unix) : null,
})

export const presentRunners = (runners: readonly ActionRunnerRow[], nowMs: number): Static<typeof RegisteredRunner>[] =>
  runners.map((runner) => ({
    id: runner.id,
    uuid: runner.uuid,
    name: runner.name,
    version: runner.version,
    labels: JSON.parse(runner.labels) as string[],
    ephemeral: runner.is_ephemeral,
    status: !isOnline(runner.online_ms, nowMs) ? 'offline' : nowMs - runner.active_ms < activeMs ? 'active' : 'idle',
    created_at: formatUnix(runner.created_unix),
    last_online: formatUnix(Math.floor(runner.online_ms / 1000)),
  }))
