import { isDeepStrictEqual } from 'node:util'
import { listUnits } from '../access/access.store.ts'
import type { Tx } from '../db/database.ts'
import type { MirrorRow } from '../db/tables/mirrors.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { EventData } from '../events/catalogue.ts'
import { publish } from '../events/hub.ts'
import { isEmpty, oldValues } from '../events/old-values.ts'
import { NotFound } from '../lib/errors.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { recordGitUsage } from './git-usage.service.ts'
import { findMirror } from './mirrors/mirror.store.ts'
import { findRepoById, findRepoForUpdate, updateForkVisibility } from './repo.store.ts'

/** The settings of a repository at one moment. */
export interface Settings {
  readonly repo: RepoRow
  readonly units: readonly RepoUnitRow[]
  readonly mirror: MirrorRow | undefined
}

/** Returns the settings and locks the repository until the transaction ends. */
export async function takeSettings(tx: Tx, repoId: RepoId): Promise<Settings> {
  return settingsOf(tx, await findRepoForUpdate(tx, repoId))
}

async function settingsOf(tx: Tx, repo: RepoRow | undefined): Promise<Settings> {
  if (!repo) throw new NotFound('the repository does not exist', 'repo_not_found')
  const units = await listUnits(tx, [repo.id])
  return { repo, units, mirror: repo.is_mirror ? await findMirror(tx, repo.id) : undefined }
}

/** Publishes an event for each setting that differs from `before`, also for forks that follow the visibility. */
export async function publishSettingsChange(tx: Tx, before: Settings, doerId: UserId): Promise<void> {
  const repoId = before.repo.id
  const after = await settingsOf(tx, await findRepoById(tx, repoId))
  const old = {
    ...oldValues(before.repo, after.repo, {
      oldDescription: 'description',
      oldWebsite: 'website',
      oldDefaultBranch: 'default_branch',
      oldWikiBranch: 'wiki_branch',
      oldIsTemplate: 'is_template',
      oldIsArchived: 'is_archived',
    }),
    ...(before.mirror && after.mirror
      ? oldValues(before.mirror, after.mirror, {
          oldMirrorIntervalSeconds: 'interval_seconds',
          oldMirrorPrunes: 'prunes',
        })
      : {}),
    ...oldUnits(before.units, after.units),
  }
  if (!isEmpty(old)) await publish(tx, 'repo.updated', { repoId, doerId, ...old })
  const { is_private: isPrivate } = after.repo
  if (isPrivate === before.repo.is_private) return
  const forks = await updateForkVisibility(tx, repoId, isPrivate)
  await recordGitUsage(tx, [after.repo, ...forks])
  for (const id of [repoId, ...forks.map((fork) => fork.id)]) {
    await publish(tx, 'repo.visibilityChanged', { repoId: id, doerId, isPrivate })
  }
}

type OldUnits = Pick<EventData<'repo.updated'>, 'oldUnits'>

function oldUnits(before: readonly RepoUnitRow[], after: readonly RepoUnitRow[]): OldUnits {
  const now = new Map(after.map((row) => [row.unit, row]))
  const had = new Map(before.map((row) => [row.unit, row]))
  const changed = before
    .filter((row) => !isSame(row, now.get(row.unit)))
    .map(({ unit, config, default_access }) => ({
      unit,
      wasOn: true,
      config: JSON.parse(config) as Record<string, unknown>,
      defaultMode: default_access,
    }))
  const added = after.filter((row) => !had.has(row.unit)).map(({ unit }) => ({ unit, wasOn: false }))
  const all = [...changed, ...added]
  return all.length === 0 ? {} : { oldUnits: all }
}

const isSame = (one: RepoUnitRow, other: RepoUnitRow | undefined): boolean =>
  other !== undefined &&
  one.default_access === other.default_access &&
  isDeepStrictEqual(JSON.parse(one.config), JSON.parse(other.config))
